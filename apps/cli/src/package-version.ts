import { createRequire } from 'node:module';

/** Returns the version of this command. */
export function packageVersion(): string {
  const manifest: unknown = createRequire(import.meta.url)('../package.json');
  const known = typeof manifest === 'object' && manifest !== null && 'version' in manifest;
  return known && typeof manifest.version === 'string' ? manifest.version : 'unknown';
}
