import { statSync } from 'node:fs';
import { glob, isDynamicPattern } from 'tinyglobby';
import { STDIN } from './is-kernel-file.ts';
import { UsageError } from '../usage-error.ts';

/** The modules and the kernel that the command line names. */
export interface NamedModules {
  readonly files: readonly string[];
  /** The kernel that the last argument names. */
  readonly kernel?: string;
  /**
   * True if there is more than one file, or a pattern. Then every program of each file is meant.
   */
  readonly areSeveral: boolean;
}

/**
 * Returns the files that the arguments name. Each argument is a file, or a pattern that the shell
 * has not expanded. The second of two arguments may be the name of a kernel instead.
 *
 * @throws UsageError if an argument names no file.
 */
export async function findModules(words: readonly string[]): Promise<NamedModules> {
  const [first = '', second] = words;
  if (words.length === 2 && second !== undefined && isFile(first) && isKernelName(second)) {
    return { files: [first], kernel: second, areSeveral: false };
  }
  const files = new Set<string>();
  let hasPattern = false;
  for (const word of words) {
    if (word === STDIN || isFile(word)) {
      files.add(word);
      continue;
    }
    if (!isDynamicPattern(word)) throw new UsageError(`no such file: ${word}`);
    hasPattern = true;
    const found = (
      await glob(word, { ignore: ['**/node_modules/**', '**/*.d.ts'], expandDirectories: false })
    ).toSorted();
    if (found.length === 0) throw new UsageError(`no file matches ${word}`);
    for (const file of found) files.add(file);
  }
  return { files: [...files], areSeveral: hasPattern || files.size > 1 };
}

function isFile(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isFile() === true;
}

/** True if a word is not a file, a pattern or a path. */
function isKernelName(word: string): boolean {
  return !isFile(word) && !isDynamicPattern(word) && !/[\\/]|\.[cm]?[jt]sx?$|\.(cu|ptx)$/i.test(word);
}
