import { expectInteger } from '@nccl-ts/core';
import type { Team } from '@nccl-ts/topology';
import type { DevResourceRequirements } from './requirements.ts';

/**
 * The first of the signals of some GIN barriers: barrier i of a team of R takes R signals from
 * signal0 + i * R on, in every context.
 *
 * @see ncclGinBarrierHandle
 */
export interface GinBarrierHandle {
  readonly signal0: number;
}

/** The ask for GIN barriers over a team of one's own. */
export interface GinBarrierRequirement {
  /** Goes into `resourceRequirementsList`; counts as a request for GIN. */
  readonly requirement: Required<DevResourceRequirements>;
  /** The barriers' handle, given `DevCommPlan.resources` at the index of the requirement. */
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
 * The ask for `nBarriers` barriers through the network over `team`, whose members the connection
 * must reach (not checked). NCCL's function takes the communicator as well, and does not look at
 * it.
 *
 * @throws NcclError `NCCL_INVALID_ARGUMENT` when `nBarriers` is no integer from 0 on, or so many
 *   that the signals cannot be counted.
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
