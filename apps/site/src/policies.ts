/** The policy of every page: nothing but the site's own files. No eval, no inline scripts. */
export const pagePolicy =
  "default-src 'none'; script-src 'self'; worker-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; " +
  "connect-src 'self'; base-uri 'none'; form-action 'none'";

/**
 * The policy of the worker that runs programs: it makes functions of text and modules of blobs, and
 * reaches no network.
 */
export const workerPolicy = "default-src 'none'; script-src 'self' blob: 'unsafe-eval'; connect-src 'none'";

/** The name of a part of a script has a hash of its contents, so browsers keep it. */
const parts = ['/assets/chunk-', '/assets/worker-'] as const;
export const forever = 'public, max-age=31536000, immutable';

export function isForever(path: string): boolean {
  return parts.some((part) => path.startsWith(part));
}

/** The headers, in the form that several hosts of static files read. */
export function headersFile(): string {
  const all = `/*\n  Content-Security-Policy: ${pagePolicy}\n  X-Content-Type-Options: nosniff\n`;
  const worker = `/assets/worker.js\n  ! Content-Security-Policy\n  Content-Security-Policy: ${workerPolicy}\n`;
  return all + worker + parts.map((part) => `${part}*\n  Cache-Control: ${forever}\n`).join('');
}
