import { Command } from 'commander';
import { printError, printOut } from '../output/print.ts';
import { machineNamed } from '../profile/machine-named.ts';
import { showProgress } from '../output/progress.ts';
import { expectWritable, writeFile } from '../output/write-file.ts';
import { addShared } from '../shared-options.ts';

interface RelaxCommandOptions {
  readonly harness?: string;
  readonly inputs?: readonly string[];
  readonly outputs?: readonly string[];
  readonly seconds: number;
  readonly machine: string;
  readonly write?: string;
  readonly json?: true;
}

const notes = `
FILE is a module that describes the launches of one PTX kernel, or a .cu or .ptx
file with --harness. The command checks the kernel without each of its barriers,
fences, acquires and releases, one at a time. It does so in several programs:
the launches of the harness, also with more warps, CTAs, launches and ranks,
with a producer that writes the inputs again before each launch, and with a
consumer that overwrites the outputs after it. A synchronization is removable
if the kernel is right without it in every schedule of all of them.

An offer holds for these programs. Does yours use the kernel in another way?
Then describe that in the harness first. The times are predicted, as by
nccl-ts predict.

Examples:
  nccl-ts relax all-reduce.launch.ts
  nccl-ts relax all-reduce.cu --harness launch.ts --inputs data --outputs out
  nccl-ts relax all-reduce.ptx --harness launch.ts --write relaxed.ptx`;

/** `nccl-ts relax FILE`: says which synchronizations of a kernel are needed. */
export function relaxCommand(compilerFlags: readonly string[] = []): Command {
  const command = new Command('relax')
    .description('find the synchronizations that a CUDA kernel does not need; needs no GPU')
    .argument('<file>', 'a harness module, or a .cu or .ptx file with --harness');
  addShared(command, { inputs: {}, outputs: {}, seconds: { default: 5 } });
  command
    .option('--machine <name>', 'predict times on h100-nvlink4, h200-nvlink4, or a profile FILE.json', 'h100-nvlink4')
    .option('--write <file>', 'write the PTX without what can go');
  addShared(command, { harness: {} });
  return addShared(command, { json: {} })
    .addHelpText('after', notes)
    .action(async (file: string, options: RelaxCommandOptions) => {
      const { write, inputs, outputs, seconds } = options;
      if (write !== undefined) await expectWritable('--write', write);
      const machine = { name: options.machine, costs: await machineNamed(options.machine) };
      const [{ loadKernel }, { relax }, { predictedTimes }, { relaxJson, relaxText }] = await Promise.all([
        import('../module/load-kernel.ts'),
        import('@nccl-ts/relax'),
        import('./predicted-times.ts'),
        import('./relax-text.ts'),
      ]);
      const { harness, ptx } = await loadKernel(file, options.harness, compilerFlags);
      let doing = '';
      using progress = showProgress(() => doing, process.stderr);
      const onProgress = (what: string): void => {
        doing = what;
      };
      const report = await relax(harness, ptx.text, {
        name: ptx.name,
        source: ptx.source,
        seconds,
        ...(inputs === undefined ? {} : { inputs }),
        ...(outputs === undefined ? {} : { outputs }),
        onProgress,
      });
      const times = await predictedTimes(harness, ptx, report, machine, onProgress);
      progress.done();
      if (write !== undefined) {
        await writeFile('--write', write, report.text);
        printError(`wrote ${write}\n`);
      }
      printOut(options.json === true ? relaxJson(report, times) : relaxText(report, times));
    });
}
