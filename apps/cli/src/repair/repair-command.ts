import { Command } from 'commander';
import { integer } from '../options.ts';
import { printError, printOut } from '../output/print.ts';
import { showProgress } from '../output/progress.ts';
import { expectWritable, writeFile } from '../output/write-file.ts';
import { addShared } from '../shared-options.ts';

interface RepairCommandOptions {
  readonly harness?: string;
  readonly inputs?: readonly string[];
  readonly outputs?: readonly string[];
  readonly seconds: number;
  readonly patience: number;
  readonly write?: string;
  readonly json?: true;
}

const notes = `
FILE is a module that describes the launches of one PTX kernel, or a .cu or .ptx
file with --harness. If the check finds the kernel wrong, the command looks for
small changes after which it does not: stronger orders, wider scopes, fences,
waits for copies, barriers of threads, and calls of barriers of the ranks. Each
repair is checked in several programs, as relax does. That of a .cu file is
written in its source if possible, and compiled and checked there.

A repair that only silences is marked: it gives an order to plain data, so that
the race is no longer reported, and the kernel still does not wait.

Exit code 1: the kernel is wrong, and no repair was found that does more than
silence.

Examples:
  nccl-ts repair all-reduce.launch.ts
  nccl-ts repair all-reduce.cu --harness launch.ts --inputs data --outputs out
  nccl-ts repair all-reduce.ptx --harness launch.ts --write repaired.ptx`;

/** `nccl-ts repair FILE`: finds changes that mend a kernel. Sets exit code 1 if there are none. */
export function repairCommand(setExitCode: (code: number) => void, compilerFlags: readonly string[] = []): Command {
  const command = new Command('repair')
    .description('find small changes that mend a CUDA kernel which the check finds wrong; needs no GPU')
    .argument('<file>', 'a harness module, or a .cu or .ptx file with --harness');
  addShared(command, { inputs: {}, outputs: {}, seconds: { default: 10 } });
  command
    .option('--patience <n>', 'seconds after which the search for a first repair ends', integer(1, 3600), 8)
    .option('--write <file>', 'write the PTX of the first repair');
  addShared(command, { harness: {} });
  return addShared(command, { json: {} })
    .addHelpText('after', notes)
    .action(async (file: string, options: RepairCommandOptions) => {
      const { write, inputs, outputs, seconds, patience } = options;
      if (write !== undefined) await expectWritable('--write', write);
      const [{ loadKernel }, { authorOf }, { repair }, { repairJson, repairText }] = await Promise.all([
        import('../module/load-kernel.ts'),
        import('./author-of.ts'),
        import('@nccl-ts/relax'),
        import('./repair-text.ts'),
      ]);
      const loaded = await loadKernel(file, options.harness, compilerFlags);
      const { harness, ptx } = loaded;
      const author = authorOf(loaded, compilerFlags);
      let doing = '';
      using progress = showProgress(() => doing, process.stderr);
      const report = await repair(harness, ptx.text, {
        name: ptx.name,
        source: ptx.source,
        seconds,
        patience,
        ...(author === undefined ? {} : { author }),
        ...(inputs === undefined ? {} : { inputs }),
        ...(outputs === undefined ? {} : { outputs }),
        onProgress: (what) => {
          doing = what;
        },
      });
      progress.done();
      const [first] = report.repairs;
      if (write !== undefined && first !== undefined && report.reason === undefined) {
        await writeFile('--write', write, first.text);
        printError(`wrote ${write}\n`);
      }
      printOut(options.json === true ? repairJson(report) : repairText(report));
      if (report.reason !== undefined) setExitCode(1);
    });
}
