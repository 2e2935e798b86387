import { expectInteger } from '@nccl-ts/core';
import type { Team } from '@nccl-ts/topology';
import type { DevResourceRequirements } from './requirements.ts';

/**
 * Where the state of some LSA barriers lies: `bufHandle` is a resource handle (byte offset / 128).
 *
 * @see ncclLsaBarrierHandle
 */
export interface LsaBarrierHandle {
  readonly bufHandle: number;
  readonly nBarriers: number;
}

/** The ask for LSA barriers over a team of one's own. */
export interface LsaBarrierRequirement {
  /** Goes into `resourceRequirementsList`. */
  readonly requirement: Required<DevResourceRequirements>;
  /** The barriers' handle, given `DevCommPlan.resources` at the index of the requirement. */
  readonly handleOf: (resource: { readonly bufHandle: number }) => LsaBarrierHandle;
}

const largestInt = 2 ** 31 - 1;

/**
 * The bytes that `nBarriers` LSA barriers over `nRanks` ranks take on every rank: for each barrier
 * two saved epochs, a counter of multimem arrivals, and an inbox with a word for each rank.
 */
export function lsaBarrierBytes(nRanks: number, nBarriers: number): number {
  return 4 * (3 * nBarriers + nBarriers * nRanks);
}

/**
 * The ask for `nBarriers` barriers over `team`, whose members must be load-store accessible to each
 * other (not checked).
 *
 * @throws NcclError `NCCL_INVALID_ARGUMENT` when `nBarriers` is no integer from 0 on.
 * @see ncclLsaBarrierCreateRequirement
 */
export function lsaBarrierCreateRequirement(team: Team, nBarriers: number): LsaBarrierRequirement {
  expectInteger('nBarriers', nBarriers, 0, largestInt);
  return Object.freeze({
    requirement: Object.freeze({
      bufferSize: lsaBarrierBytes(team.nRanks, nBarriers),
      bufferAlign: 4,
      ginSignalCount: 0,
      ginCounterCount: 0,
    }),
    handleOf: ({ bufHandle }: { readonly bufHandle: number }): LsaBarrierHandle =>
      Object.freeze({ bufHandle, nBarriers }),
  });
}
