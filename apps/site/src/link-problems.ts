import { siteBase } from './folders.ts';

/** The broken links between pages. `pages` has the HTML by address. */
export function linkProblems(pages: ReadonlyMap<string, string>): {
  readonly problems: readonly string[];
  readonly links: number;
} {
  const anchors = new Map(
    [...pages].map(([url, html]) => [url, new Set([...html.matchAll(/ id="([^"]+)"/g)].map((one) => one[1]))]),
  );
  const problems: string[] = [];
  let links = 0;
  for (const [url, html] of pages) {
    for (const { 1: href = '' } of html.matchAll(/<a [^>]*href="([^"]*)"/g)) {
      if (/^[a-z]+:/.test(href)) continue;
      links++;
      const [path = '', anchor] = href.split('#');
      const joined = path === '' ? url : addressOf(url, path);
      const target = joined.replace(/\?.*$/, '');
      const found = anchors.get(target);
      if (found === undefined) problems.push(`${url}: ${href}`);
      else if (
        anchor !== undefined &&
        anchor !== '' &&
        !anchor.startsWith('v1') &&
        !found.has(decodeURIComponent(anchor))
      ) {
        problems.push(`${url}: ${href} (no such heading)`);
      }
    }
  }
  return { problems, links };
}

/**
 * The address that a link of a page leads to, relative to the site. A link may be relative or not.
 */
function addressOf(url: string, path: string): string {
  return new URL(path, `http://site${siteBase}${url}`).pathname.slice(siteBase.length);
}
