import { ranksToCheck } from '@nccl-ts/harness';
import { programOfHarness } from '@nccl-ts/launch-json';
import { isProgramFile } from '../module/is-kernel-file.ts';
import { loadHarness } from '../module/load-module.ts';
import { ReadKernels } from '../module/read-kernels.ts';
import { printError } from '../output/print.ts';
import { writeFile } from '../output/write-file.ts';
import { UsageError } from '../usage-error.ts';

export interface SaveRequest {
  /** The module with the launch, or the `.cu` or `.ptx` file. */
  readonly file: string;
  /** The module that describes the launches of a `.cu` or `.ptx` file. */
  readonly harness?: string;
  /** The file to write. */
  readonly save: string;
  readonly compilerFlags: readonly string[];
  /** The numbers of ranks of the command line. */
  readonly rankCounts?: readonly number[];
}

/**
 * Writes a launch as a program in JSON, with its kernels, and says so.
 *
 * @throws UsageError if the file is a program already, or describes no launch of PTX.
 */
export async function saveProgram({
  file,
  harness: option,
  save,
  compilerFlags,
  rankCounts,
}: SaveRequest): Promise<void> {
  if (isProgramFile(file)) throw new UsageError(`--save ${save}: ${file} is such a program already; copy it`);
  const { harness, folder } = await loadHarness(file, option).catch((error: unknown) => {
    if (!(error instanceof UsageError) || !error.message.includes('its default export must be')) throw error;
    throw new UsageError(
      `--save ${save}: ${file} exports no harness({ ... }) of @nccl-ts/harness; only launches of PTX can be saved, and its kernels are TypeScript`,
    );
  });
  const [first, ...others] = rankCounts ?? [];
  const ranks = first === undefined ? ranksToCheck(harness) : ([first, ...others] as const);
  const kernels = new ReadKernels({ path: file, folder }, compilerFlags);
  for (const count of ranks) await kernels.read(harness, count);
  const program = programOfHarness(harness, (one) => kernels.textOf(one), {
    ranks,
    name: file,
    source: (path) => kernels.source(path),
  });
  await writeFile('--save', save, `${JSON.stringify(program)}\n`);
  printError(`saved ${save}: nccl-ts check ${save} checks it again\n`);
}
