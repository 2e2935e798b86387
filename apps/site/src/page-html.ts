import type { Document } from './documents.ts';
import { escapeHtml } from './highlight.ts';
import { pagePolicy } from './policies.ts';

export interface Page {
  readonly url: string;
  readonly title: string;
  readonly body: string;
  readonly documents: readonly Document[];
  readonly headings: readonly { readonly id: string; readonly text: string; readonly level: number }[];
  readonly kind: 'home' | 'document' | 'app';
  readonly script?: string;
  /** The files that the page's scripts import. The browser requests them at once. */
  readonly preloads: readonly string[];
}

/** The whole page. Its scripts are files, because the policy forbids inline scripts. */
export function pageHtml({ url, title, body, documents, headings, kind, script, preloads }: Page): string {
  const base = url === '' ? './' : '../'.repeat(url.split('/').length - 1);
  const name = title === 'nccl-ts' ? title : `${title} · nccl-ts`;
  const main =
    kind === 'document'
      ? `<div class="columns"><nav class="side" aria-label="Documents">${navigation(url, documents, base)}</nav>` +
        `<main id="main" class="document">${body}</main>${contents(headings)}</div>`
      : `<main id="main" class="${kind}">${body.replaceAll('{base}', base)}</main>`;
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="${escapeHtml(pagePolicy)}">
<title>${escapeHtml(name)}</title>
<link rel="icon" href="data:,">
<link rel="stylesheet" href="${base}assets/style.css">
<script type="module" src="${base}assets/site.js"></script>
${script === undefined ? '' : `<script type="module" src="${base}assets/${script}.js"></script>\n`}${preloads
    .map((file) => `<link rel="modulepreload" href="${base}assets/${file}">\n`)
    .join('')}</head>
<body>
<a class="skip" href="#main">Skip to the content</a>
<header class="top">
<a class="brand" href="${base}">nccl-ts</a>
<nav aria-label="Site"><a href="${base}playground/">Playground</a> <a href="${base}docs/tutorial/first-kernel/">Docs</a> <a href="${base}litmus/">Litmus</a> <a href="${base}break/">Break it</a> <a href="${base}barrier/">Barrier</a> <a href="${base}algorithms/">Algorithms</a> <a href="${base}ptx/">PTX</a> <a href="${base}docs/museum/">Museum</a></nav>
<div class="search"><input id="search" type="search" placeholder="Search" aria-label="Search the documents"><div id="hits"></div></div>
<button id="theme" type="button" aria-label="Dark or light">◐</button>
</header>
${main}
</body>
</html>
`;
}

function navigation(url: string, documents: readonly Document[], base: string): string {
  const sections = [...new Set(documents.map(({ section }) => section))];
  return sections
    .map((section) => {
      const links = documents
        .filter((one) => one.section === section)
        .map((one) => {
          const current = one.url === url ? ' aria-current="page"' : '';
          return `<li><a href="${base}${one.url}"${current}>${escapeHtml(one.title)}</a></li>`;
        });
      const open = documents.some((one) => one.section === section && one.url === url) ? ' open' : '';
      return `<details${section === 'Packages' || section === 'Museum' ? open : ' open'}><summary>${section}</summary><ul>${links.join('')}</ul></details>`;
    })
    .join('');
}

function contents(headings: Page['headings']): string {
  const shown = headings.filter(({ level }) => level === 2 || level === 3);
  if (shown.length < 2 || shown.length > 60) return '';
  const links = shown.map(
    ({ id, text, level }) => `<li class="level-${level}"><a href="#${id}">${escapeHtml(text)}</a></li>`,
  );
  return `<nav class="toc" aria-label="On this page"><p>On this page</p><ul>${links.join('')}</ul></nav>`;
}
