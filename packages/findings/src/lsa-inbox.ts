import type { DevCommPlan } from '@nccl-ts/devcomm';
import { resourceOffset } from '@nccl-ts/window';

/** The location where an LSA barrier receives the arrivals of one team peer. */
export interface LsaInbox {
  /** The kind of barrier, from `lsaBarrierCount` or from `barrierCount`. */
  readonly barriers: 'lsaBarrier' | 'hybridLsaBarrier';
  readonly index: number;
  /** The team rank that posts here. */
  readonly peer: number;
}

const sets = ['lsaBarrier', 'hybridLsaBarrier'] as const;

/**
 * Identifies byte `offset` of the resource window, if it is in the inbox of a barrier over the LSA
 * team. The state of n barriers of R ranks is 3n words of epochs and counters, and then an inbox of
 * R words for each barrier.
 *
 * Barriers over your own teams are not recognised, because the plan does not contain their team.
 *
 * @see ncclLsaBarrierSession
 */
export function lsaInbox(plan: DevCommPlan, offset: number): LsaInbox | undefined {
  const ranks = plan.topology.lsaSize;
  for (const barriers of sets) {
    const { bufHandle, nBarriers } = plan[barriers];
    const word = Math.floor((offset - resourceOffset(bufHandle)) / 4) - 3 * nBarriers;
    if (word < 0 || word >= nBarriers * ranks) continue;
    return { barriers, index: Math.floor(word / ranks), peer: word % ranks };
  }
  return undefined;
}
