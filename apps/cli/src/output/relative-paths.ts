import { sep } from 'node:path';
import process from 'node:process';

/** Returns a text in which paths inside the current folder are relative to it. */
export function relativePaths(text: string, folder: string = process.cwd()): string {
  const prefix = folder.endsWith(sep) ? folder : `${folder}${sep}`;
  // Below the root of the file system, relative paths are no shorter.
  if (prefix === sep) return text;
  return text.replaceAll(
    new RegExp(`(?<![\\w./\\\\-])${prefix.replaceAll(/[\\^$.*+?()[\]{}|]/g, String.raw`\$&`)}`, 'g'),
    '',
  );
}
