import { posix } from 'node:path';
import { urlOf, type Document } from '../src/documents.ts';
import { embedOf } from '../src/embeds.ts';
import { exhibitOf } from '../src/museum.ts';
import { codesRule } from './codes-rule.ts';
import type { MarkdownIt, State, Token } from './markdown-it.ts';

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
  markdown.core.ruler.push('programs', (state) => {
    const file = state.env.frontmatter?.file;
    if (file === undefined) return;
    state.tokens = state.tokens.flatMap((token) =>
      token.type === 'fence' ? withProgram(token, file, state) : [token],
    );
  });
}

/** A block of code, with what makes it a program that the reader can run. */
function withProgram(fence: Token, file: string, { Token }: State): readonly Token[] {
  const html = (content: string): Token => Object.assign(new Token('html_block', '', 0), { content });
  const exhibit = exhibitOf(file, fence.content);
  if (exhibit !== undefined) return [fence, html(`<nccl-exhibit class="vp-raw" name="${exhibit}"></nccl-exhibit>`)];
  const embed = embedOf(file, fence.content, fence.info.trim().split(/\s+/)[0] ?? '');
  if (embed === undefined) return [fence];
  const { ranks, verdict, host } = embed;
  const hosted =
    host === undefined
      ? []
      : [
          html('<details class="embed-host"><summary>The host program that launches it</summary>'),
          Object.assign(new Token('fence', 'code', 0), { content: `${host}\n`, info: 'ts' }),
          html('</details>'),
        ];
  const open = html(`<nccl-play class="vp-raw" data-ranks="${ranks}" data-verdict="${verdict}">`);
  return [open, fence, ...hosted, html('</nccl-play>')];
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
