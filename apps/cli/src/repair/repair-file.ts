import { repair, type AuthorFile } from '@nccl-ts/relax';
import { isKernelFile } from '../module/is-kernel-file.ts';
import { loadKernel, type LoadedKernel } from '../module/load-kernel.ts';
import { loadHost } from '../module/load-module.ts';
import { expectAbsent } from '../relax/expect-absent.ts';
import { authorOf } from './author-of.ts';
import { repairHost, type FileRepair, type RepairHostOptions } from './repair-host.ts';

/** The options of a search for repairs. Those of the launch are for a host program. */
export interface RepairFileOptions extends RepairHostOptions {
  readonly harness?: string;
  readonly inputs?: readonly string[];
  readonly outputs?: readonly string[];
  readonly compilerFlags: readonly string[];
}

/**
 * Finds changes that mend the kernel of a module with host, of a harness, or of a `.cu` or `.ptx`
 * file.
 *
 * @throws UsageError if an option does not fit the program.
 */
export async function repairFile(file: string, options: RepairFileOptions): Promise<FileRepair> {
  const { harness: harnessFile, compilerFlags, ranks, lsaSize, local, grid, block, ...search } = options;
  if (!isKernelFile(file) && harnessFile === undefined) {
    const host = await loadHost(file);
    if (host !== undefined) {
      expectAbsent({ inputs: search.inputs, outputs: search.outputs }, `${file} has a host program, and`, 'a harness');
      return repairHost(file, host, options);
    }
  }
  expectAbsent({ ranks, lsaSize, local, grid, block }, 'the harness says this itself:', 'a host program');
  const loaded = await loadKernel(file, harnessFile, compilerFlags);
  const { harness, ptx } = loaded;
  const author = authorOf(loaded, compilerFlags);
  const report = await repair(harness, ptx.text, {
    ...search,
    name: ptx.name,
    source: ptx.source,
    ...(author === undefined ? {} : { author }),
  });
  const isSource = report.repairs[0]?.isSource === true;
  const changed = isSource && author !== undefined ? { path: author.file, text: author.text } : ptxFile(loaded);
  return { report, ...(changed === undefined ? {} : { file: changed }) };
}

/** The kernel's own file, if it is PTX. */
function ptxFile({ path, ptx }: LoadedKernel): AuthorFile | undefined {
  return /\.ptx$/iu.test(path) ? { path, text: ptx.text } : undefined;
}
