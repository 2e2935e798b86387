import { readFile, stat } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import { expectProgramSize, harnessOfProgram, readProgram, type ProgramJson } from '@nccl-ts/launch-json';
import { harnessModule } from './harness-module.ts';
import { STDIN } from './is-kernel-file.ts';
import { readPtx, type PtxText } from './read-ptx.ts';
import { standardInput } from './standard-input.ts';
import type { UserModule } from './user-module.ts';
import { UsageError } from '../usage-error.ts';

/**
 * Makes a module of a program in JSON, or of the one on standard input. It may name files, relative
 * to its own folder.
 *
 * @throws UsageError if it cannot be read; NcclError `NCCLTS_PROGRAM` if it is no program.
 */
export async function programModule(
  path: string,
  compilerFlags: readonly string[],
  rankCounts: readonly number[] | undefined,
): Promise<UserModule> {
  const program = readProgram(path === STDIN ? await standardInput() : await textOf(path));
  const [first, ...others] = program.worlds.map(({ ranks }) => ranks);
  if (first === undefined) throw new UsageError(`${path} has no world`);
  const counts = [first, ...others] as const;
  const folder = path === STDIN ? process.cwd() : dirname(resolve(path));
  const texts = await textsOf(program, folder, compilerFlags);
  const module = await harnessModule(
    { path, folder, texts },
    harnessOfProgram(program),
    compilerFlags,
    rankCounts ?? counts,
  );
  const { harness } = module;
  return harness === undefined ? module : { ...module, harness: { ...harness, rankCounts: counts } };
}

async function textOf(path: string): Promise<string> {
  try {
    expectProgramSize((await stat(path)).size);
    return await readFile(path, 'utf8');
  } catch (error) {
    if (error instanceof Error && 'syscall' in error) throw new UsageError(`${path} cannot be read: ${error.message}`);
    throw error;
  }
}

/** The kernels' texts. Sources in the program come before files of the same name. */
async function textsOf(
  { texts, sources = {} }: ProgramJson,
  folder: string,
  compilerFlags: readonly string[],
): Promise<ReadonlyMap<string, PtxText>> {
  const all = new Map<string, PtxText>();
  for (const [id, text] of Object.entries(texts)) {
    const read =
      'file' in text
        ? await readPtx(resolve(folder, text.file), compilerFlags)
        : { name: text.name ?? id, text: text.ptx, source: () => undefined };
    const source = (file: string): string | undefined =>
      Object.hasOwn(sources, file) ? sources[file] : read.source(file);
    all.set(id, { ...read, source });
  }
  return all;
}
