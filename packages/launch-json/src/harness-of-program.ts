import type { DevCommRequirements } from '@nccl-ts/devcomm';
import { harness, type Harness, type HarnessKernel, type HarnessOptions, type RankOf } from '@nccl-ts/harness';
import { extentOf, wordsOf } from './numbers-of-json.ts';
import { ProgramOfRank } from './program-of-rank.ts';
import type { ByRankJson, KernelJson, ProgramJson } from './program-json.ts';

/**
 * Makes the harness of a program. Its kernels' files are names in `texts` of the program, which
 * `translate` gets from a function. Its setup throws for numbers of ranks that the program lacks.
 *
 * @throws NcclError `NCCL_INVALID_ARGUMENT` for impossible numbers.
 */
export function harnessOfProgram(program: ProgramJson): Harness {
  const { kernel, kernels, local, launches = 1, streams, devComm, worlds } = program;
  const [first, ...others] = worlds;
  const options: HarnessOptions = {
    launches,
    ...(first !== undefined && others.length === 0 ? { ranks: first.ranks } : {}),
    ...(local === undefined ? {} : { local }),
    ...(streams === undefined ? {} : { streams }),
    ...(devComm !== undefined && areRequirements(devComm) ? { devComm } : {}),
  };
  if (kernel !== undefined) {
    return harness({
      ...options,
      ...kernelOf(program, '', kernel),
      setup: (setup) => new ProgramOfRank(program, setup).launches(),
    });
  }
  const named = Object.entries(kernels ?? {}).map(([name, one]) => [name, kernelOf(program, name, one)] as const);
  return harness({
    ...options,
    kernels: Object.fromEntries(named),
    setup: (setup) => new ProgramOfRank(program, setup).steps(setup.launch),
  });
}

/** Requirements are checked when a device communicator is created from them. */
function areRequirements(value: object): value is DevCommRequirements {
  return Object.values(value).every((one) => typeof one !== 'function');
}

function kernelOf(program: ProgramJson, name: string, kernel: KernelJson): HarnessKernel {
  const { cluster, programmatic, dynamicShared, known } = kernel;
  const field = (which: 'text' | 'entry'): HarnessKernel['entry'] & HarnessKernel['kernel'] => {
    const isOne = program.worlds.every((world) => 'why' in world || world.kernels?.[name]?.[which] === undefined);
    const own = kernel[which];
    if (isOne && typeof own === 'string') return own;
    return (place) => valueAt(program, name, which, own, place);
  };
  return {
    kernel: field('text'),
    entry: field('entry'),
    grid: extentOf(kernel.grid),
    block: extentOf(kernel.block),
    ...(cluster === undefined ? {} : { cluster: extentOf(cluster) }),
    ...(programmatic === undefined ? {} : { programmatic }),
    ...(dynamicShared === undefined ? {} : { dynamicShared }),
    ...(known === undefined ? {} : { known: wordsOf(known) }),
  };
}

function valueAt(
  { worlds }: ProgramJson,
  name: string,
  which: 'text' | 'entry',
  own: ByRankJson,
  { rank, nRanks }: RankOf,
): string | undefined {
  const world = worlds.find(({ ranks }) => ranks === nRanks);
  const given = world === undefined || 'why' in world ? own : (world.kernels?.[name]?.[which] ?? own);
  return typeof given === 'string' ? given : (given[rank] ?? undefined);
}
