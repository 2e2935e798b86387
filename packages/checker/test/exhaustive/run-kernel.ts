import { explore, type Exploration } from '@nccl-ts/checker';
import { World } from '@nccl-ts/communicator';
import type { DevCommArg, WindowArg } from '@nccl-ts/devcomm';
import type { Kernel } from '@nccl-ts/kernel';

/**
 * Rank 0 has the words that all ranks share, in `shared`. A rank writes the values that it reads to
 * its own words in `found`.
 */
export interface LitmusParams {
  comm: DevCommArg;
  shared: WindowArg;
  found: WindowArg;
}

export interface Explored extends Exploration {
  /** The results of the ranks, sorted: ranks are separated by a space, and words by a comma. */
  readonly outcomes: readonly string[];
  /** `race`, `deadlock`, ..., each once, sorted. */
  readonly kinds: readonly string[];
}

/**
 * Explores all executions of a kernel that every rank launches once, with one thread in each of
 * `grid` CTAs.
 */
export async function exploreKernel(
  kernel: Kernel<{ comm: DevCommArg; shared: WindowArg; found: WindowArg }>,
  { ranks, grid = 1, block = 1, words = 1 }: { ranks: number; grid?: number; block?: number; words?: number },
): Promise<Explored> {
  const outcomes = new Set<string>();
  const explored = await explore(
    { ranks, mode: 'check' },
    async (backend) => {
      const world = await World.open({ backend });
      const found = await world.run(async (comm) => {
        const sharedWindow = await comm.allocWindow('u32', 4);
        const own = await comm.allocWindow('u32', 4);
        const dev = await comm.createDevComm({ lsaBarrierCount: grid });
        await comm.launch(kernel, { grid, block }, { comm: dev, shared: sharedWindow, found: own });
        await comm.synchronize();
        return [...(await own.read())].slice(0, words).join();
      });
      await world.close();
      outcomes.add(found.join(' '));
    },
    { runs: 5000 },
  );
  const kinds = new Set(explored.report?.findings.map(({ kind }) => kind));
  return { ...explored, outcomes: [...outcomes].toSorted(), kinds: [...kinds].toSorted() };
}
