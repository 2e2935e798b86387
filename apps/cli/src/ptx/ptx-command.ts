import { Command } from 'commander';
import { printOut } from '../output/print.ts';
import { addShared, kernelArgument, namedKernel, renamed } from '../shared-options.ts';
import { UsageError } from '../usage-error.ts';
import { writeFirstHarness } from './write-first-harness.ts';

interface PtxOptions {
  readonly kernel?: string;
  readonly write?: string;
  readonly force?: true;
}

const notes = `
A .cu file is compiled with nvcc or clang++; what stands behind -- goes to it.
A guess at what a parameter is comes from what the kernel does with it.

Examples:
  nccl-ts ptx all-reduce.cu
  nccl-ts ptx all-reduce.cu --write launch.ts
  nccl-ts ptx all-reduce.cu 'twoShot<float, 8>' --write launch.ts -- -I include`;

/**
 * `nccl-ts ptx FILE [KERNEL]`: lists the kernels of a `.cu` or `.ptx` file and the requirements of
 * their launches.
 */
export function ptxCommand(compilerFlags: readonly string[] = []): Command {
  const command = new Command('ptx')
    .description('list the kernels of a .cu or .ptx file and what their launches need, or write a first harness')
    .argument('<file>', 'a .cu or .ptx file')
    .argument(kernelArgument.name, 'only kernels whose name, mangled or not, contains this');
  return addShared(command, { kernel: {} })
    .addOption(renamed('-e, --entry <name>', 'Write --kernel, or only the name after the file.'))
    .option('--write <file>', 'write a first harness for one kernel')
    .option('--force', 'with --write: overwrite an existing file')
    .addHelpText('after', notes)
    .action(async (file: string, word: string | undefined, options: PtxOptions) => {
      const { kernel: wanted } = namedKernel(word, options.kernel);
      if (options.write !== undefined) {
        const { write, force = false } = options;
        const kernel = wanted === undefined ? {} : { kernel: wanted };
        await writeFirstHarness({ file, ...kernel, write, force, compilerFlags });
        return;
      }
      const [{ readPtxModule }, { matchingEntries }, { readPtx }, { entryText }] = await Promise.all([
        import('@nccl-ts/harness'),
        import('@nccl-ts/ptx'),
        import('../module/read-ptx.ts'),
        import('./entry-text.ts'),
      ]);
      const { name, text } = await readPtx(file, compilerFlags);
      const module = readPtxModule(text, name);
      const entries = matchingEntries(module, wanted ?? /^/);
      if (entries.length === 0) {
        const which =
          wanted === undefined ? 'no kernels found: a template must be instantiated' : `no kernel ${wanted}`;
        throw new UsageError(`${file} has ${which}`);
      }
      printOut(`${entries.map((entry) => entryText(module, entry)).join('\n\n')}\n`);
    });
}
