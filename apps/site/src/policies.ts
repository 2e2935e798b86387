/** The policy of every page: only the site's own files, no eval, no inline scripts. */
export const pagePolicy =
  "default-src 'none'; script-src 'self'; worker-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; " +
  "connect-src 'self'; base-uri 'none'; form-action 'none'";

/**
 * The policy of the worker that runs programs. It allows functions from text and modules from
 * blobs, but no network.
 */
export const workerPolicy = "default-src 'none'; script-src 'self' blob: 'unsafe-eval'; connect-src 'none'";

/** The file name of a script chunk contains a hash of its contents, so browsers can cache it. */
const parts = ['/assets/chunk-', '/assets/worker-'] as const;
export const forever = 'public, max-age=31536000, immutable';

export function isForever(path: string): boolean {
  return parts.some((part) => path.startsWith(part));
}

/** The headers, in the format that several static hosts read. */
export function headersFile(): string {
  const all = `/*\n  Content-Security-Policy: ${pagePolicy}\n  X-Content-Type-Options: nosniff\n`;
  const worker = `/assets/worker.js\n  ! Content-Security-Policy\n  Content-Security-Policy: ${workerPolicy}\n`;
  return all + worker + parts.map((part) => `${part}*\n  Cache-Control: ${forever}\n`).join('');
}
