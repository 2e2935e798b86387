import { Command } from 'commander';
import { gpuAmounts } from '@nccl-ts/machine-profile';
import { World } from '@nccl-ts/communicator';
import { integer } from '../options.ts';
import { printOut } from '../output/print.ts';
import { expectWritable, writeFile } from '../output/write-file.ts';
import { showProgress } from '../output/progress.ts';
import { UsageError } from '../usage-error.ts';
import { measureProfile } from './measure-profile.ts';

interface ProfileOptions {
  readonly gpus: number;
  readonly rounds: number;
  readonly out: string;
}

const notes = `
The command measures this machine's GPUs and the links between them, by small
kernels: the trip of a flag, chains of loads, bandwidths by the number of CTAs,
atomics, fences, launches. No collective takes part. It takes a minute, and
256 MiB of memory on each GPU. Other programs on the GPUs disturb it.

Then predict times on this machine:
  nccl-ts profile --out my-machine.json
  nccl-ts predict allReduce --machine my-machine.json`;

/** `nccl-ts profile`: measures the costs that `nccl-ts predict` uses. */
export function profileCommand(): Command {
  return new Command('profile')
    .description("measure this machine's profile, from which nccl-ts predict computes times; needs two NVIDIA GPUs")
    .option('--gpus <n>', 'the number of GPUs; with more than two, also launches that wait for more', integer(2, 64), 2)
    .option(
      '--rounds <n>',
      'measurements of each micro-benchmark; the median counts',
      integer(1, 999),
      gpuAmounts.rounds,
    )
    .option('--out <file>', 'the file of the profile', 'machine.json')
    .addHelpText('after', notes)
    .action(profile);
}

async function profile({ gpus, rounds, out }: ProfileOptions): Promise<void> {
  if (!out.endsWith('.json')) throw new UsageError(`--out ${out}: --machine reads profiles whose names end in .json`);
  await expectWritable('--out', out);
  const { cuda, probe } = await import('@nccl-ts/backend-cuda');
  const probed = await probe();
  if (probed.ok && probed.gpus.length < gpus) {
    throw new UsageError(`--gpus ${gpus}: this machine has ${probed.gpus.length}; links are measured between GPUs`);
  }
  let last = 'opening the GPUs';
  using progress = showProgress(() => last, process.stderr);
  const open = async (ranks: number): Promise<World> =>
    World.open({ backend: cuda({ devices: Array.from({ length: ranks }, (_, gpu) => gpu) }) });
  const machine = {
    name: out.slice(out.lastIndexOf('/') + 1, -'.json'.length),
    gpu: probed.gpus[0]?.name ?? 'unknown',
    gpus,
    date: new Date().toISOString().slice(0, 'yyyy-mm-dd'.length),
  };
  const measured = await measureProfile(open, machine, { ...gpuAmounts, rounds }, ({ name }) => {
    last = `measured ${name}`;
  });
  progress.done();
  await writeFile('--out', out, `${JSON.stringify(measured, undefined, 1)}\n`);
  printOut(`Wrote ${out}. Predict with it: nccl-ts predict allReduce --machine ${out}\n`);
}
