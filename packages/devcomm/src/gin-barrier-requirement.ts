import { expectInteger } from '@nccl-ts/core';
import type { Team } from '@nccl-ts/topology';
import type { DevResourceRequirements } from './requirements.ts';

/**
 * The signals of a GIN barrier: one for each rank, or two that count all arrivals and alternate.
 * The network chooses. `signalEfficient` requires NCCL 2.32.6. Both give the same guarantees.
 *
 * @see ncclGinBarrierOptions_t
 */
export type GinBarrierForm = 'perPeer' | 'signalEfficient';

/** All forms of GIN barriers. */
export const ginBarrierForms: readonly GinBarrierForm[] = Object.freeze(['perPeer', 'signalEfficient'] as const);

/**
 * The first signal of some GIN barriers. In every context, barrier i of a team of R uses R signals,
 * starting at signal0 + i * R. If the network's barriers are `signalEfficient`, it uses 2 signals,
 * starting at signal0 + 2 * i.
 *
 * @see ncclGinBarrierHandle
 */
export interface GinBarrierHandle {
  readonly signal0: number;
}

/** A requirement for GIN barriers over your own team. */
export interface GinBarrierRequirement {
  /** An entry for `resourceRequirementsList`. It counts as a request for GIN. */
  readonly requirement: Required<DevResourceRequirements>;
  /**
   * Returns the barriers' handle for the element of `DevCommPlan.resources` at the index of the
   * requirement.
   */
  readonly handleOf: (resource: { readonly ginSignalStart: number }) => GinBarrierHandle;
}

const largestInt = 2 ** 31 - 1;

/**
 * Returns the number of signals that `nBarriers` GIN barriers over `nRanks` ranks take in every
 * context: one for each rank and barrier, or two for each barrier.
 */
export function ginBarrierSignals(nRanks: number, nBarriers: number, form: GinBarrierForm = 'perPeer'): number {
  return nBarriers * (form === 'perPeer' ? nRanks : 2);
}

/**
 * Requires `nBarriers` barriers through the network over `team`, whose members the connection must
 * reach (not checked). NCCL's function also takes the communicator, but ignores it. The signals are
 * enough for both forms of barriers.
 *
 * @throws NcclError `NCCL_INVALID_ARGUMENT` if `nBarriers` is not an integer of at least 0, or if
 *   there would be too many signals.
 * @see ncclGinBarrierCreateRequirement
 */
export function ginBarrierCreateRequirement(team: Team, nBarriers: number): GinBarrierRequirement {
  expectInteger('nBarriers', nBarriers, 0, Math.floor(largestInt / Math.max(team.nRanks, 2)));
  return Object.freeze({
    requirement: Object.freeze({
      bufferSize: 0,
      bufferAlign: 0,
      ginSignalCount: ginBarrierSignals(Math.max(team.nRanks, 2), nBarriers),
      ginCounterCount: 0,
    }),
    handleOf: ({ ginSignalStart }: { readonly ginSignalStart: number }): GinBarrierHandle =>
      Object.freeze({ signal0: ginSignalStart }),
  });
}
