import { existsSync, readdirSync, readFileSync, realpathSync } from 'node:fs';
import { join } from 'node:path';

/** Returns the first of the paths that exists. */
export function firstExisting(paths: readonly string[]): string | undefined {
  return paths.find((path) => existsSync(path));
}

/** Returns the text of a file; undefined if it cannot be read. */
export function textOf(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return undefined;
  }
}

/** Returns a path with its links resolved; the path itself if it does not exist. */
export function realPath(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    return path;
  }
}

/**
 * Returns the entries of a folder whose names match, as sorted paths; none if there is no such
 * folder.
 */
export function entriesMatching(directory: string, pattern: RegExp): readonly string[] {
  try {
    return readdirSync(directory)
      .filter((name) => pattern.test(name))
      .sort()
      .map((name) => join(directory, name));
  } catch {
    return [];
  }
}
