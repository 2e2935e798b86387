import type { DevResourceRequirements } from '@nccl-ts/devcomm';

/** The bytes that a thread sends at a time. */
export const SENTINEL_BYTES = 16;

/** The number of banks, which turns use alternately. */
export const SENTINEL_BANKS = 2;

/**
 * A NaN that marks data that has not arrived, in each 4 bytes of a word. Memory starts as zeros, so
 * each word is stored after an exclusive or with the sentinel.
 */
export const SENTINEL = 0xfffafffa;

/**
 * Replaces a data word that equals the sentinel. It is also a NaN, as one f32 or as two f16 or
 * bf16.
 */
export const NOT_SENTINEL = 0xfffbfffb;

/** The bytes of a CTA's state, which counts its turns so far. */
export const SENTINEL_HEAD = 128;

/** The number of words in a line of memory. */
const LINE_WORDS = 8;

/** The largest launch, and how many words a communicator has room for. */
export interface SentinelRoom {
  readonly ctas: number;
  readonly threads: number;
  /** The approximate number of bytes that a rank sends to all peers in a turn. */
  readonly bytes: number;
}

/**
 * The number of words that a CTA exchanges with each peer in a turn: whole lines, and at least two
 * words for each thread.
 */
export function sentinelWords({ ctas, threads, bytes }: SentinelRoom, lsaSize: number): number {
  const lines = bytes / (ctas * Math.max(1, lsaSize - 1) * SENTINEL_BYTES * LINE_WORDS);
  return Math.max(2 * threads, LINE_WORDS * Math.ceil(lines));
}

/**
 * Returns the requirement on a device communicator. Each CTA has its state, and room for the words
 * of each peer in each bank.
 */
export function sentinelRequirement(room: SentinelRoom, lsaSize: number): DevResourceRequirements {
  const words = sentinelWords(room, lsaSize) * Math.max(1, lsaSize - 1);
  const bytes = SENTINEL_HEAD + SENTINEL_BANKS * SENTINEL_BYTES * words;
  return { bufferSize: room.ctas * bytes, bufferAlign: 128 };
}
