import { WARP_SIZE } from '@nccl-ts/core';
import type { DevResourceRequirements } from '@nccl-ts/devcomm';

/** The number of lanes that store a line of 128 bytes together, 16 bytes each. */
export const LINE_LANES = 8;

/**
 * The bytes of elements that a warp sends to a peer at a time: 120 in each of 8 lines. The other 8
 * bytes of a line are its flag.
 */
export const BLOCK_BYTES = 960;

/** The bytes of these 8 lines. */
export const BLOCK_LINE_BYTES = 1024;

/** The number of banks, which turns use alternately. */
export const LL128_BANKS = 2;

/** The bytes of a CTA's state, which counts its turns so far. It is a whole line. */
export const LL128_HEAD = 128;

/** The largest launch, and how many blocks a communicator has room for. */
export interface LL128Room {
  readonly ctas: number;
  readonly threads: number;
  /** The approximate number of bytes that a rank sends to all peers in a turn. */
  readonly bytes: number;
}

/**
 * The number of blocks that a CTA exchanges with each peer in a turn: at least one for each warp.
 */
export function ll128Blocks({ ctas, threads, bytes }: LL128Room, lsaSize: number): number {
  const blocks = bytes / (ctas * Math.max(1, lsaSize - 1) * BLOCK_BYTES);
  return Math.max(threads / WARP_SIZE, Math.ceil(blocks));
}

/**
 * Returns the requirement on a device communicator. Each CTA has its state, and room for the blocks
 * of each peer in each bank.
 */
export function ll128Requirement(room: LL128Room, lsaSize: number): DevResourceRequirements {
  const blocks = ll128Blocks(room, lsaSize) * Math.max(1, lsaSize - 1);
  const bytes = LL128_HEAD + LL128_BANKS * BLOCK_LINE_BYTES * blocks;
  return { bufferSize: room.ctas * bytes, bufferAlign: 128 };
}
