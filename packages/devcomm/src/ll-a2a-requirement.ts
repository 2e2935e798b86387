import { expectInteger } from '@nccl-ts/core';
import type { DevResourceRequirements } from './requirements.ts';

/**
 * Where the slots of an all-to-all session lie: `bufHandle` is a resource handle (byte offset /
 * 128). `nBlocks`, which NCCL's handle lacks, is there so that a session can say which blocks it
 * may have.
 *
 * @see ncclLLA2AHandle
 */
export interface LLA2AHandle {
  readonly bufHandle: number;
  readonly nSlots: number;
  readonly nBlocks: number;
}

/** The ask for all-to-all slots. */
export interface LLA2ARequirement {
  /** Goes into `resourceRequirementsList`. */
  readonly requirement: Required<DevResourceRequirements>;
  /** The slots' handle, given `DevCommPlan.resources` at the index of the requirement. */
  readonly handleOf: (resource: { readonly bufHandle: number }) => LLA2AHandle;
}

const largestInt = 2 ** 31 - 1;
/** A line carries so many bytes of a value, and its epoch beside each half of them. */
const BYTES_IN_LINE = 8;
const LINE_BYTES = 16;

/**
 * The slots that a block needs for values 0 to `maxElts` - 1 of up to `maxEltSize` bytes: one for
 * every 8 bytes of each.
 *
 * @throws NcclError `NCCL_INVALID_ARGUMENT` where an argument is no integer from 0 on.
 * @see ncclLLA2ACalcSlots
 */
export function llA2ACalcSlots(maxElts: number, maxEltSize: number): number {
  expectInteger('maxElts', maxElts, 0, largestInt);
  expectInteger('maxEltSize', maxEltSize, 0, largestInt);
  return maxElts * Math.ceil(maxEltSize / BYTES_IN_LINE);
}

/**
 * The bytes that `nBlocks` blocks of `nSlots` slots take on every rank: for each block a line, and
 * two banks of slots.
 */
export function llA2ABytes(nBlocks: number, nSlots: number): number {
  return nBlocks * (1 + 2 * nSlots) * LINE_BYTES;
}

/**
 * The ask for the slots of `nBlocks` sessions at a time, `nSlots` (of `llA2ACalcSlots`) for each.
 * Over which team they go is said by the session.
 *
 * @throws NcclError `NCCL_INVALID_ARGUMENT` where an argument is no integer from 0 on, or all slots
 *   together pass what NCCL counts in a 32-bit integer.
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
