import { readFile } from 'node:fs/promises';
import { readFileSync, statSync } from 'node:fs';
import { basename, dirname, isAbsolute, resolve } from 'node:path';
import { UsageError } from '../usage-error.ts';
import { withStandIns } from './include-folder.ts';
import { compileCuda } from './compile-cuda.ts';

/** PTX text, with the facts that its reader needs. */
export interface PtxText {
  /** The name for people. */
  readonly name: string;
  readonly text: string;
  /** Returns the text of an author's file that the PTX names; `undefined` if it cannot be read. */
  readonly source: (path: string) => string | undefined;
}

/**
 * Returns the PTX of a `.ptx` file, or of a `.cu` file, which is compiled with `flags`. With
 * `standIn`, the compiler finds the stand-in headers first.
 *
 * @throws UsageError if the file cannot be read or compiled, or there are flags for a `.ptx` file.
 */
export async function readPtx(
  file: string,
  flags: readonly string[],
  { standIn = false }: { readonly standIn?: boolean | undefined } = {},
): Promise<PtxText> {
  const isPtx = /\.ptx$/i.test(file);
  if (isPtx && flags.length > 0) {
    throw new UsageError(
      `${flags.join(' ')}: the words after -- are for the CUDA compiler, and ${file} is already compiled`,
    );
  }
  // The compiler's own message would name one of its parts.
  if (!isPtx && statSync(file, { throwIfNoEntry: false })?.isFile() !== true) {
    throw new UsageError(`no such file: ${file}`);
  }
  const text = isPtx ? await read(file) : await compileCuda(file, standIn ? withStandIns(flags) : flags);
  const folders = [dirname(resolve(file)), process.cwd()];
  return { name: basename(file), text, source: (path) => sourceText(path, folders) };
}

async function read(file: string): Promise<string> {
  try {
    return await readFile(file, 'utf8');
  } catch (error) {
    throw new UsageError(`${file} cannot be read: ${error instanceof Error ? error.message : String(error)}`);
  }
}

function sourceText(path: string, folders: readonly string[]): string | undefined {
  for (const candidate of isAbsolute(path) ? [path] : folders.map((folder) => resolve(folder, path))) {
    try {
      return readFileSync(candidate, 'utf8');
    } catch (error) {
      if (!(error instanceof Error && 'code' in error)) throw error;
    }
  }
  return undefined;
}
