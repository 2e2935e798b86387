import { existsSync, readdirSync, readFileSync, realpathSync } from 'node:fs';
import { join } from 'node:path';

/** The first of the paths that exists. */
export function firstExisting(paths: readonly string[]): string | undefined {
  return paths.find((path) => existsSync(path));
}

/** The text of a file; undefined where it cannot be read. */
export function textOf(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return undefined;
  }
}

/** Where a path leads through links; the path itself where it leads nowhere. */
export function realPath(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    return path;
  }
}

/**
 * The entries of a directory whose names match, as paths in the order of their names; none where
 * there is no such directory.
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
