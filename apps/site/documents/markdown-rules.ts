import { posix } from 'node:path';
import { urlOf, type Document } from '../src/documents.ts';
import { embedOf } from '../src/embeds.ts';
import { exhibitOf } from '../src/museum.ts';
import { codesRule } from './codes-rule.ts';
import type { MarkdownIt } from './markdown-it.ts';

const repository = 'https://github.com/nccl-ts/nccl-ts';

/** Adds the rules that the documents of this repository need beyond VitePress's Markdown. */
export function markdownRules(markdown: MarkdownIt, documents: readonly Document[]): void {
  const pages = new Set(documents.map(({ file }) => file));
  // `:b:` in a document is text.
  markdown.core.ruler.disable('emoji');
  markdown.core.ruler.push('links', ({ tokens, env }) => {
    const file = env.frontmatter?.file;
    if (file === undefined) return;
    for (const token of tokens) {
      for (const child of token.children ?? []) {
        if (child.type === 'link_open') child.attrSet('href', linkOf(file, child.attrGet('href') ?? '', pages));
        if (child.type === 'image') child.attrSet('src', imageOf(file, child.attrGet('src') ?? ''));
      }
    }
  });
  codesRule(markdown);
  const fence = markdown.renderer.rules.fence;
  markdown.renderer.rules.fence = (tokens, index, options, env, self) => {
    const { content = '', info = '' } = tokens[index] ?? {};
    const { file } = env.frontmatter ?? {};
    const html = fence(tokens, index, options, env, self);
    if (file === undefined) return html;
    const exhibit = exhibitOf(file, content);
    if (exhibit !== undefined) return `${html}<nccl-exhibit class="vp-raw" name="${exhibit}"></nccl-exhibit>`;
    const embed = embedOf(file, content, info.trim().split(/\s+/)[0] ?? '');
    if (embed === undefined) return html;
    return `<nccl-play class="vp-raw" data-ranks="${embed.ranks}" data-verdict="${embed.verdict}">${html}</nccl-play>`;
  };
}

/** The address of a link: a page of the site, or the file in the repository. */
function linkOf(file: string, href: string, pages: ReadonlySet<string>): string {
  if (/^[#/]/.test(href)) return href;
  const inRepository = `${repository}/blob/main/`;
  const isOutside = /^[a-z]+:/.test(href);
  if (isOutside && !href.startsWith(inRepository)) return href;
  const [path = '', anchor] = (isOutside ? href.slice(inRepository.length) : href).split('#');
  const target = isOutside ? path : posix.normalize(posix.join(posix.dirname(file), path));
  const page = [target, `${target}/README.md`, `${target.replace(/\/$/, '')}/README.md`].find((one) => pages.has(one));
  const behind = anchor === undefined ? '' : `#${anchor}`;
  return page === undefined ? `${inRepository}${target}${behind}` : `/${urlOf(page)}${behind}`;
}

function imageOf(file: string, src: string): string {
  return /^(?:[a-z]+:|\/)/.test(src) ? src : `/files/${posix.normalize(posix.join(posix.dirname(file), src))}`;
}
