import { createRequire } from 'node:module';

/** Set for a process whose loaded files another process watches. */
export const WATCHED = 'NCCLTS_WATCHED';

/** The message of such a process. */
export interface LoadedFiles {
  /** URLs or paths. */
  readonly loaded: readonly string[];
}

/** Called for each imported module. Absent if no process watches. */
export function importListener(): ((url: string) => void) | undefined {
  if (!isWatched()) return undefined;
  return (url) => send([url]);
}

/** Reports the CommonJS modules that are loaded so far. */
export function reportRequired(): void {
  if (isWatched()) send(Object.keys(createRequire(import.meta.url).cache));
}

export function isLoadedFiles(message: unknown): message is LoadedFiles {
  return typeof message === 'object' && message !== null && 'loaded' in message && Array.isArray(message.loaded);
}

function isWatched(): boolean {
  return process.env[WATCHED] !== undefined && process.send !== undefined;
}

function send(loaded: readonly string[]): void {
  process.send?.({ loaded } satisfies LoadedFiles);
}
