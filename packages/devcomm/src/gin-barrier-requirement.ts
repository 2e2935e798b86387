import { expectInteger } from '@nccl-ts/core';
import type { Team } from '@nccl-ts/topology';
import type { DevResourceRequirements } from './requirements.ts';

/**
 * The first signal of some GIN barriers: barrier i of a team of R uses R signals from signal0 + i *
 * R on, in every context.
 *
 * @see ncclGinBarrierHandle
 */
export interface GinBarrierHandle {
  readonly signal0: number;
}

/** A requirement of GIN barriers over your own team. */
export interface GinBarrierRequirement {
  /** Goes into `resourceRequirementsList`; counts as a request for GIN. */
  readonly requirement: Required<DevResourceRequirements>;
  /**
   * Returns the barriers' handle for the element of `DevCommPlan.resources` at the index of the
   * requirement.
   */
  readonly handleOf: (resource: { readonly ginSignalStart: number }) => GinBarrierHandle;
}

const largestInt = 2 ** 31 - 1;

/**
 * The signals that `nBarriers` GIN barriers over `nRanks` ranks take in every context: one for each
 * rank and barrier.
 */
export function ginBarrierSignals(nRanks: number, nBarriers: number): number {
  return nBarriers * nRanks;
}

/**
 * Requires `nBarriers` barriers through the network over `team`, whose members the connection must
 * reach (not checked). NCCL's function also takes the communicator, and ignores it.
 *
 * @throws NcclError `NCCL_INVALID_ARGUMENT` if `nBarriers` is not an integer from 0 on, or if the
 *   signals would be too many to count.
 * @see ncclGinBarrierCreateRequirement
 */
export function ginBarrierCreateRequirement(team: Team, nBarriers: number): GinBarrierRequirement {
  expectInteger('nBarriers', nBarriers, 0, Math.floor(largestInt / team.nRanks));
  return Object.freeze({
    requirement: Object.freeze({
      bufferSize: 0,
      bufferAlign: 0,
      ginSignalCount: ginBarrierSignals(team.nRanks, nBarriers),
      ginCounterCount: 0,
    }),
    handleOf: ({ ginSignalStart }: { readonly ginSignalStart: number }): GinBarrierHandle =>
      Object.freeze({ signal0: ginSignalStart }),
  });
}
