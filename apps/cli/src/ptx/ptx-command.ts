import { existsSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { dirname, relative, resolve, sep } from 'node:path';
import { Command } from 'commander';
import { UsageError } from '../usage-error.ts';

interface PtxOptions {
  readonly entry?: string;
  readonly write?: string;
  readonly force?: true;
}

const notes = `
A .cu file is compiled with nvcc or clang++; what stands behind -- goes to it.
A guess at what a parameter is comes from what the kernel does with it.

Examples:
  nccl-ts ptx all-reduce.cu
  nccl-ts ptx all-reduce.cu --write launch.ts
  nccl-ts ptx all-reduce.cu --entry 'twoShot<float, 8>' --write launch.ts -- -I include`;

/** `nccl-ts ptx FILE`: the kernels of a `.cu` or `.ptx` file and what their launches need. */
export function ptxCommand(compilerFlags: readonly string[] = []): Command {
  return new Command('ptx')
    .description('list the kernels of a .cu or .ptx file and what their launches need, or write a first harness')
    .argument('<file>', 'a .cu or .ptx file')
    .option('-e, --entry <name>', 'only kernels of this name, mangled or not, or a part of it')
    .option('--write <file>', 'write a first harness of the one kernel')
    .option('--force', 'with --write: over a file that is there')
    .addHelpText('after', notes)
    .action(async (file: string, options: PtxOptions) => {
      const [{ entryFacts, entryOf, firstHarness, readPtxModule }, { matchingEntries }, { readPtx }, { entryText }] =
        await Promise.all([
          import('@nccl-ts/harness'),
          import('@nccl-ts/ptx'),
          import('./read-ptx.ts'),
          import('./entry-text.ts'),
        ]);
      const { name, text } = await readPtx(file, compilerFlags);
      const module = readPtxModule(text, name);
      if (options.write !== undefined) {
        if (existsSync(options.write) && options.force !== true) {
          throw new UsageError(`--write ${options.write}: the file is there already; --force writes over it`);
        }
        const facts = entryFacts(module, entryOf(module, options.entry ?? /^/));
        const kernelFile = relative(dirname(resolve(options.write)), resolve(file))
          .split(sep)
          .join('/');
        await writeFile(options.write, firstHarness(facts, kernelFile));
        process.stdout.write(
          `wrote ${options.write}: fill in the arguments, then run nccl-ts check ${options.write}\n`,
        );
        return;
      }
      const entries = matchingEntries(module, options.entry ?? /^/);
      if (entries.length === 0) {
        const which =
          options.entry === undefined ? 'no kernel: a template must be instantiated' : `no kernel ${options.entry}`;
        throw new UsageError(`${file} has ${which}`);
      }
      process.stdout.write(`${entries.map((entry) => entryText(module, entry)).join('\n\n')}\n`);
    });
}
