import { Command } from 'commander';
import { isKernelFile } from '../module/is-kernel-file.ts';
import { printError, printOut } from '../output/print.ts';
import { machineNamed } from '../profile/machine-named.ts';
import { showProgress } from '../output/progress.ts';
import { expectWritable, writeFile } from '../output/write-file.ts';
import { addShared } from '../shared-options.ts';
import { expectAbsent } from './expect-absent.ts';
import type { NamedMachine } from '@nccl-ts/relax';
import type { RelaxHostOptions } from './relax-host.ts';

interface RelaxCommandOptions extends RelaxHostOptions {
  readonly harness?: string;
  readonly inputs?: readonly string[];
  readonly outputs?: readonly string[];
  readonly machine: string;
  readonly write?: string;
}

const notes = `
FILE exports function host, as for nccl-ts check, or describes the launches of
one PTX kernel, or is a .cu or .ptx file with --harness. The command checks the
kernel without each of its barriers, fences, acquires and releases, one at a
time. A synchronization is removable if the kernel is right without it in every
schedule of several programs.

For a harness, these are its launches, also with more warps, CTAs, launches and
ranks, with a producer that writes the inputs again before each launch, and with
a consumer that overwrites the outputs after it. For host, it is the program on
several numbers of ranks, with 8 as the scale of its second parameter, and with
launches around its own that load and store each word of the windows again.

An offer holds for these programs. Does yours use the kernel in another way?
Then describe that first. Times are predicted, as by nccl-ts predict.

Examples:
  nccl-ts relax all-reduce.ts --ranks 2,4
  nccl-ts relax all-reduce.launch.ts
  nccl-ts relax all-reduce.cu --harness launch.ts --inputs data --outputs out
  nccl-ts relax all-reduce.ptx --harness launch.ts --write relaxed.ptx`;

async function machineOf({ machine: name }: Pick<RelaxCommandOptions, 'machine'>): Promise<NamedMachine> {
  return { name, costs: await machineNamed(name) };
}

/** `nccl-ts relax FILE`: says which synchronizations of a kernel are needed. */
export function relaxCommand(compilerFlags: readonly string[] = []): Command {
  const command = new Command('relax')
    .description('find the synchronizations that a kernel does not need; needs no GPU')
    .argument('<file>', 'a module with host or a harness, or a .cu or .ptx file with --harness');
  const onHost = { note: '(host)' };
  addShared(command, {
    kernel: onHost,
    ranks: { ...onHost, isList: true },
    lsaSize: onHost,
    local: onHost,
    grid: onHost,
    block: onHost,
    inputs: {},
    outputs: {},
    seconds: { default: 5 },
  });
  command
    .option('--machine <name>', 'predict times on h100-nvlink4, h200-nvlink4, or a profile FILE.json', 'h100-nvlink4')
    .option('--write <file>', 'write the PTX without what can go');
  addShared(command, { harness: {} });
  return addShared(command, { json: {} })
    .addHelpText('after', notes)
    .action(async (file: string, options: RelaxCommandOptions) => {
      const { write, inputs, outputs, seconds, ranks, lsaSize, local, kernel, grid, block } = options;
      if (!isKernelFile(file) && options.harness === undefined) {
        const { loadHost } = await import('../module/load-module.ts');
        const host = await loadHost(file);
        if (host !== undefined) {
          expectAbsent({ inputs, outputs, write }, `${file} has a host program, and`, 'a harness');
          const { relaxHost } = await import('./relax-host.ts');
          return relaxHost(host, await machineOf(options), options);
        }
      }
      expectAbsent({ kernel, ranks, lsaSize, local, grid, block }, 'the harness says this itself:', 'a host program');
      if (write !== undefined) await expectWritable('--write', write);
      const machine = await machineOf(options);
      const [{ loadKernel }, { predictedTimes, relax }, { offeredHarness }, { relaxJson, relaxText }] =
        await Promise.all([
          import('../module/load-kernel.ts'),
          import('@nccl-ts/relax'),
          import('./offered-harness.ts'),
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
      const times = await predictedTimes(offeredHarness(harness, ptx, report), machine, onProgress);
      progress.done();
      if (write !== undefined) {
        await writeFile('--write', write, report.text);
        printError(`wrote ${write}\n`);
      }
      printOut(options.json === true ? relaxJson(report, times) : relaxText(report, times));
    });
}
