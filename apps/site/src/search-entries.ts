import type { SearchEntry, SearchKind } from '../search/search-entry.ts';

/** The sections of all pages for the search. A section begins at a heading with an anchor. */
export function searchEntries(pages: ReadonlyMap<string, string>): readonly SearchEntry[] {
  const entries: SearchEntry[] = [];
  for (const [url, html] of pages) {
    if (url.endsWith('.html')) continue;
    const main = /<main[^>]*>([\s\S]*)<\/main>/.exec(html)?.[1] ?? '';
    const page = textOf(/<title>([^<]*)<\/title>/.exec(html)?.[1] ?? '').replace(/ · nccl-ts$/, '');
    const parts = main.split(/(?=<h[1-4][^>]* id=")/);
    for (const [i, part] of parts.entries()) {
      const [, level = '1', id = '', heading = ''] =
        /^<h([1-4])[^>]* id="([^"]*)"[^>]*>([\s\S]*?)<\/h\1>/.exec(part) ?? [];
      const text = textOf(part.replace(/^<h[\s\S]*?<\/h[1-4]>/, ''));
      const isTop = level === '1' || id === '';
      if (isTop && i > 0 && text === '' && heading === '') continue;
      if (i === 0 && id === '' && parts.length > 1 && text === '') continue;
      const title = isTop ? page : textOf(heading);
      const at = isTop ? url : `${url}#${id}`;
      entries.push({ url: at, page, heading: title, kind: kindOf(url, id), text: `${text}${otherWords[at] ?? ''}` });
    }
  }
  return entries;
}

/** Words that readers look for, and that a section does not have. */
const otherWords: Readonly<Record<string, string>> = {
  'docs/tutorial/first-kernel/': ' Getting started: a quick start for beginners.',
  'docs/explanation/memory-model-from-scratch/#data-races': ' Such a race condition depends on timing.',
};

function kindOf(url: string, id: string): SearchKind {
  if (url === 'docs/reference/codes/' && /^(?:k\d+|ncc|[a-z]+$|[a-z]+-)/.test(id)) return 'Code';
  if (url.startsWith('docs/museum/')) return 'Museum';
  if (url.startsWith('docs/')) return 'Document';
  if (/^packages\/[^/]+\/api\/$/.test(url)) return 'API';
  if (url.startsWith('packages/')) return 'Package';
  return url.includes('/') && !url.startsWith('apps/') && url !== 'ARCHITECTURE/' ? 'Page' : 'Document';
}

const entities: Readonly<Record<string, string>> = {
  amp: '&',
  lt: '<',
  gt: '>',
  quot: '"',
  '#39': "'",
  ZeroWidthSpace: '',
};

/** The text of HTML that was rendered from Markdown. */
function textOf(html: string): string {
  return html
    .replaceAll(/<(?:button|a class="header-anchor")[\s\S]*?<\/(?:button|a)>/g, '')
    .replaceAll(/<[^>]*>/g, ' ')
    .replaceAll(/&([#\w]+);/g, (whole, name: string) => entities[name] ?? whole)
    .replaceAll(/[\s\u200B]+/g, ' ')
    .trim();
}
