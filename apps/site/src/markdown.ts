import { posix } from 'node:path';
import MarkdownIt from 'markdown-it';
import { urlOf } from './documents.ts';
import { embedOf } from './embeds.ts';
import { escapeHtml, highlighted } from './highlight.ts';
import { exhibitOf } from './museum.ts';

const REPOSITORY = 'https://github.com/nccl-ts/nccl-ts';

/** The HTML of a page, and its headings. */
export interface Rendered {
  readonly html: string;
  readonly headings: readonly { readonly id: string; readonly text: string; readonly level: number }[];
  readonly embeds: number;
}

/** Renders a Markdown file of the repository. `pages` are the files that have a page. */
export function renderMarkdown(file: string, text: string, pages: ReadonlySet<string>, base: string): Rendered {
  const markdown = new MarkdownIt({ html: true });
  const headings: { id: string; text: string; level: number }[] = [];
  let embeds = 0;
  markdown.renderer.rules['fence'] = (tokens, index) => {
    const { content = '', info = '' } = tokens[index] ?? {};
    const language = info.trim().split(/\s+/)[0] ?? '';
    const pre = `<pre tabindex="0"><code class="language-${escapeHtml(language)}">${highlighted(content, language)}</code></pre>`;
    const exhibit = exhibitOf(file, content);
    if (exhibit !== undefined) return `${pre}<nccl-exhibit name="${exhibit}"></nccl-exhibit>`;
    const embed = embedOf(file, content, language);
    if (embed === undefined) return pre;
    embeds++;
    return `<nccl-play ranks="${embed.ranks}" verdict="${embed.verdict}">${pre}</nccl-play>`;
  };
  const tokens = markdown.parse(text, {});
  tokens.forEach((token, index) => {
    if (token.type === 'heading_open') {
      const inline = tokens[index + 1]?.children ?? [];
      const title = inline.map(({ content }) => content).join('');
      const id = slug(title, headings);
      token.attrSet('id', id);
      headings.push({ id, text: title, level: Number(token.tag.slice(1)) });
    }
    for (const child of token.children ?? []) {
      if (child.type === 'link_open')
        child.attrSet('href', linkOf(file, String(child.attrGet('href') ?? ''), pages, base));
      if (child.type === 'image') child.attrSet('src', imageOf(file, String(child.attrGet('src') ?? ''), base));
    }
  });
  const html = markdown.renderer
    .render(tokens, markdown.options, {})
    .replaceAll('<table>', '<div class="scroll" tabindex="0"><table>')
    .replaceAll('</table>', '</table></div>');
  return { html, headings, embeds };
}

function slug(title: string, before: readonly { readonly id: string }[]): string {
  const plain = title
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}\s_-]/gu, '')
    .trim()
    .replaceAll(/\s/g, '-');
  const same = before.filter(({ id }) => id === plain || id.startsWith(`${plain}--`)).length;
  return same === 0 ? plain : `${plain}-${same}`;
}

/** The address of a link: a page of the site, or the file in the repository. */
function linkOf(file: string, href: string, pages: ReadonlySet<string>, base: string): string {
  if (href.startsWith('#')) return href;
  const inRepository = `${REPOSITORY}/blob/main/`;
  const isOutside = /^[a-z]+:/.test(href);
  if (isOutside && !href.startsWith(inRepository)) return href;
  const [path = '', anchor] = (isOutside ? href.slice(inRepository.length) : href).split('#');
  const target = isOutside ? path : posix.normalize(posix.join(posix.dirname(file), path));
  const page = [target, `${target}/README.md`, `${target.replace(/\/$/, '')}/README.md`].find((one) => pages.has(one));
  const behind = anchor === undefined ? '' : `#${anchor}`;
  return page === undefined ? `${inRepository}${target}${behind}` : `${base}${urlOf(page)}${behind}`;
}

function imageOf(file: string, src: string, base: string): string {
  return /^[a-z]+:/.test(src) ? src : `${base}files/${posix.normalize(posix.join(posix.dirname(file), src))}`;
}
