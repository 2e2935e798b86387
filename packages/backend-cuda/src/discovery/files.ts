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

/** The target of a path with its links resolved; the path itself if it does not exist. */
export function realPath(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    return path;
  }
}

/**
 * The entries of a folder whose names match, as paths in the order of their names; none if there is
 * no such folder.
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
