import { expectInteger } from '@nccl-ts/core';
import type { Team } from '@nccl-ts/topology';
import type { DevResourceRequirements } from './requirements.ts';

/**
 * The location of the state of some LSA barriers: `bufHandle` is a resource handle (byte offset /
 * 128).
 *
 * @see ncclLsaBarrierHandle
 */
export interface LsaBarrierHandle {
  readonly bufHandle: number;
  readonly nBarriers: number;
}

/** A requirement for LSA barriers over your own team. */
export interface LsaBarrierRequirement {
  /** An entry for `resourceRequirementsList`. */
  readonly requirement: Required<DevResourceRequirements>;
  /**
   * Returns the barriers' handle for the element of `DevCommPlan.resources` at the index of the
   * requirement.
   */
  readonly handleOf: (resource: { readonly bufHandle: number }) => LsaBarrierHandle;
}

const largestInt = 2 ** 31 - 1;

/**
 * Returns the bytes that `nBarriers` LSA barriers over `nRanks` ranks take on every rank. Each
 * barrier has two saved epochs, a counter of multimem arrivals, and an inbox with a word for each
 * rank.
 */
export function lsaBarrierBytes(nRanks: number, nBarriers: number): number {
  return 4 * (3 * nBarriers + nBarriers * nRanks);
}

/**
 * Requires `nBarriers` barriers over `team`, whose members must be load-store accessible to each
 * other (not checked).
 *
 * @throws NcclError `NCCL_INVALID_ARGUMENT` if `nBarriers` is not an integer of at least 0.
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
