import { DeadlockError, sim, type WaitingThreads } from '@nccl-ts/backend-sim';
import { at } from '@nccl-ts/core';

import { devComm, kernel, lsa, u32, World } from 'nccl-ts';
import type { BarrierState } from '../protocol.ts';

/** A kernel in which each rank arrives at the barrier a given number of times. */
const comeTo = kernel(
  { name: 'comeTo', use: { lsa }, params: { comm: devComm, times: u32 } },
  ({ lsa, coopCta }, { comm, times }) => {
    const bar = lsa.barrierSession(coopCta(), comm, 0);
    for (let i = 0; i < times; i++) bar.sync(coopCta(), 'acq_rel');
  },
);

/**
 * The states of one barrier as ranks arrive in the given order. For each state, the simulator runs
 * the kernel with the arrivals so far. If ranks still wait, its deadlock report has the words that
 * they wait for.
 */
export async function barrierStates(ranks: number, order: readonly number[]): Promise<readonly BarrierState[]> {
  const states: BarrierState[] = [];
  const arrived = Array.from({ length: ranks }, () => 0);
  states.push({ came: undefined, arrived: [...arrived], waits: await waitsAfter(arrived) });
  for (const rank of order) {
    arrived[rank] = at(arrived, rank) + 1;
    states.push({ came: rank, arrived: [...arrived], waits: await waitsAfter(arrived) });
  }
  return states;
}

async function waitsAfter(arrived: readonly number[]): Promise<BarrierState['waits']> {
  const world = await World.open({ backend: sim({ ranks: arrived.length }) });
  try {
    await world.run(async (comm) => {
      const dev = await comm.createDevComm({ lsaBarrierCount: 1 });
      await comm.launch(comeTo, { grid: 1, block: 32 }, { comm: dev, times: at(arrived, comm.rank) });
    });
    return [];
  } catch (error) {
    if (!(error instanceof DeadlockError)) throw error;
    return error.report.waiting.flatMap((waiting) => waitsOf(waiting, arrived));
  } finally {
    await world.close().catch(() => {});
  }
}

/**
 * Reads the waits from the deadlock report. The report names one word and the remaining turns of
 * the loop over the other members. The barrier starts that loop at the next rank. Each peer stores
 * the number of its own arrivals.
 */
function waitsOf(
  { rank, needed, indices = [], words }: WaitingThreads,
  arrived: readonly number[],
): BarrierState['waits'] {
  const waits = indices.map((index) => {
    const peer = (rank + 1 + index) % arrived.length;
    return { rank, peer, value: at(arrived, peer), needed: needed.replace(/ \(.*/, '') };
  });
  for (const { place: meaning, value } of words) {
    const isAmong =
      meaning.kind === 'lsaInbox' && waits.some((one) => one.peer === meaning.peerRank && one.value === Number(value));
    if (!isAmong) throw new Error('The simulator waits for a different word of the barrier than this page shows.');
  }
  return waits;
}
