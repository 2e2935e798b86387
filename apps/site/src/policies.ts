import { createHash } from 'node:crypto';

/** Sets the reader's choice of dark or light before a page with programs is drawn. */
export const themeScript =
  "{const t=localStorage.getItem('vitepress-theme-appearance');" +
  "if(t==='dark'||t==='light')document.documentElement.dataset.theme=t}";

/**
 * The policy of every page: only the site's own files, no eval, and only the inline scripts that
 * the build has seen.
 */
export function pagePolicy(inlineScripts: Iterable<string>): string {
  const hashes = [...inlineScripts].map((text) => ` 'sha256-${createHash('sha256').update(text).digest('base64')}'`);
  return (
    `default-src 'none'; script-src 'self'${hashes.toSorted().join('')}; worker-src 'self'; ` +
    "style-src 'self' 'unsafe-inline'; img-src 'self' data:; connect-src 'self'; base-uri 'none'; form-action 'none'"
  );
}

/**
 * The policy of the worker that runs programs. It allows functions from text and modules from
 * blobs, but no network.
 */
const workerPolicy = "default-src 'none'; script-src 'self' blob: 'unsafe-eval'; connect-src 'none'";

/** The names of these files contain a hash of their contents, so browsers can cache them. */
const parts = ['/assets/chunk-', '/assets/worker-', '/pages/'] as const;

/** The headers, in the format that several static hosts read. */
export function headersFile(policy: string): string {
  const all = `/*\n  Content-Security-Policy: ${policy}\n  X-Content-Type-Options: nosniff\n`;
  const worker = `/assets/worker.js\n  ! Content-Security-Policy\n  Content-Security-Policy: ${workerPolicy}\n`;
  const forever = 'public, max-age=31536000, immutable';
  return all + worker + parts.map((part) => `${part}*\n  Cache-Control: ${forever}\n`).join('');
}

/**
 * The headers of a path, by the rules of that file: later rules add to earlier ones, `!` removes.
 */
export function headersOf(file: string, path: string): Readonly<Record<string, string>> {
  const headers: Record<string, string> = {};
  let isOfPath = false;
  for (const line of file.split('\n')) {
    if (line.startsWith('/')) isOfPath = line.endsWith('*') ? path.startsWith(line.slice(0, -1)) : path === line;
    else if (isOfPath && line.startsWith('  ! ')) delete headers[line.slice(4).toLowerCase()];
    else if (isOfPath && line.startsWith('  ')) {
      const [name = '', ...value] = line.trim().split(': ');
      headers[name.toLowerCase()] = value.join(': ');
    }
  }
  return headers;
}
