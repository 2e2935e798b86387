import { escapeHtml } from './escape-html.ts';
import { themeScript } from './policies.ts';

/** A page with programs. The documents are VitePress's. */
export interface AppPage {
  readonly url: string;
  readonly title: string;
  readonly description: string;
  readonly body: string;
  readonly script: string;
  /** The files that the page's scripts import. The browser requests them at once. */
  readonly preloads: readonly string[];
}

const links: readonly (readonly [url: string, text: string])[] = [
  ['docs/', 'Docs'],
  ['playground/', 'Playground'],
  ['ptx/', 'Check CUDA'],
  ['docs/museum/', 'Museum'],
  ['litmus/', 'Litmus'],
  ['break/', 'Break it'],
  ['barrier/', 'Barrier'],
  ['algorithms/', 'Algorithms'],
];

/**
 * The whole page, but for its policy. Its scripts are files; only the theme is set in the page
 * itself.
 */
export function pageHtml({ url, title, description, body, script, preloads }: AppPage): string {
  const base = '../'.repeat(url.split('/').length - 1);
  const navigation = links.map(([to, text]) => {
    const current = to === url ? ' aria-current="page"' : '';
    return `<a href="${base}${to}"${current}>${text}</a>`;
  });
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escapeHtml(title)} · nccl-ts</title>
<meta name="description" content="${escapeHtml(description)}">
<link rel="icon" href="data:,">
<script>${themeScript}</script>
<link rel="stylesheet" href="${base}assets/style.css">
<script type="module" src="${base}assets/site.js"></script>
<script type="module" src="${base}assets/${script}.js"></script>
${preloads.map((file) => `<link rel="modulepreload" href="${base}assets/${file}">\n`).join('')}</head>
<body>
<a class="skip" href="#main">Skip to the content</a>
<header class="top">
<a class="brand" href="${base}">nccl-ts</a>
<nav aria-label="Site">${navigation.join(' ')}</nav>
<button id="search" class="search-button" type="button">Search <kbd>/</kbd></button>
<button id="theme" type="button" aria-label="Dark or light">◐</button>
</header>
<main id="main" class="app">${body}</main>
</body>
</html>
`;
}
