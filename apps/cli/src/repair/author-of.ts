import type { AuthorSource } from '@nccl-ts/relax';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { compileCuda } from '../module/compile-cuda.ts';
import { withStandIns } from '../module/include-folder.ts';
import type { LoadedKernel } from '../module/load-kernel.ts';

/** The source of a `.cu` file, which can be compiled with changes. `undefined` for PTX. */
export function authorOf(
  { path, harness, ptx }: LoadedKernel,
  compilerFlags: readonly string[],
): AuthorSource | undefined {
  const text = /\.ptx$/iu.test(path) ? undefined : ptx.source(path);
  if (text === undefined) return undefined;
  const flags = [...(harness.standIn === true ? withStandIns(compilerFlags) : compilerFlags), '-I', dirname(path)];
  return {
    file: path,
    text,
    compile: async (changed) => {
      const folder = await mkdtemp(join(tmpdir(), 'nccl-ts-repair-'));
      try {
        const file = join(folder, basename(path));
        await writeFile(file, changed);
        return await compileCuda(file, flags);
      } finally {
        await rm(folder, { recursive: true, force: true });
      }
    },
  };
}
