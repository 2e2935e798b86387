import { expectInteger } from '@nccl-ts/core';
import type { DevResourceRequirements } from './requirements.ts';

/**
 * The location of the slots of an all-to-all session: `bufHandle` is a resource handle (byte offset
 * / 128). `nBlocks`, which NCCL's handle lacks, lets a session check its block.
 *
 * @see ncclLLA2AHandle
 */
export interface LLA2AHandle {
  readonly bufHandle: number;
  readonly nSlots: number;
  readonly nBlocks: number;
}

/** A requirement for all-to-all slots. */
export interface LLA2ARequirement {
  /** An entry for `resourceRequirementsList`. */
  readonly requirement: Required<DevResourceRequirements>;
  /**
   * Returns the slots' handle for the element of `DevCommPlan.resources` at the index of the
   * requirement.
   */
  readonly handleOf: (resource: { readonly bufHandle: number }) => LLA2AHandle;
}

const largestInt = 2 ** 31 - 1;
/** The bytes of a value in a line, which also has the epoch beside each half of them. */
const BYTES_IN_LINE = 8;
const LINE_BYTES = 16;

/**
 * Returns the number of slots that a block needs for values 0 to `maxElts` - 1 of up to
 * `maxEltSize` bytes: one for every 8 bytes of each.
 *
 * @throws NcclError `NCCL_INVALID_ARGUMENT` if an argument is not an integer of at least 0.
 * @see ncclLLA2ACalcSlots
 */
export function llA2ACalcSlots(maxElts: number, maxEltSize: number): number {
  expectInteger('maxElts', maxElts, 0, largestInt);
  expectInteger('maxEltSize', maxEltSize, 0, largestInt);
  return maxElts * Math.ceil(maxEltSize / BYTES_IN_LINE);
}

/**
 * Returns the bytes that `nBlocks` blocks of `nSlots` slots take on every rank: a line and two
 * banks of slots for each block.
 */
export function llA2ABytes(nBlocks: number, nSlots: number): number {
  return nBlocks * (1 + 2 * nSlots) * LINE_BYTES;
}

/**
 * Requires the slots of `nBlocks` concurrent sessions, with `nSlots` (from `llA2ACalcSlots`) for
 * each. The session selects the team.
 *
 * @throws NcclError `NCCL_INVALID_ARGUMENT` if an argument is not an integer of at least 0, or if
 *   all slots together exceed NCCL's 32-bit count.
 * @see ncclLLA2ACreateRequirement
 */
export function llA2ACreateRequirement(nBlocks: number, nSlots: number): LLA2ARequirement {
  expectInteger('nBlocks', nBlocks, 0, largestInt);
  expectInteger('nSlots', nSlots, 0, largestInt);
  const bufferSize = llA2ABytes(nBlocks, nSlots);
  expectInteger('nBlocks * (1 + 2 * nSlots) * 16', bufferSize, 0, largestInt);
  return Object.freeze({
    requirement: Object.freeze({
      bufferSize,
      bufferAlign: LINE_BYTES,
      ginSignalCount: 0,
      ginCounterCount: 0,
    }),
    handleOf: ({ bufHandle }: { readonly bufHandle: number }): LLA2AHandle =>
      Object.freeze({ bufHandle, nSlots, nBlocks }),
  });
}
