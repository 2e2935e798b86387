import type { DevResourceRequirements } from '@nccl-ts/devcomm';

/** Bytes that a thread sends at once. */
export const SENTINEL_BYTES = 16;

/** The number of banks, used in turn. */
export const SENTINEL_BANKS = 2;

/**
 * In each 4 bytes of a word it marks data that have not arrived. Memory begins as zeros, so words
 * are stored exclusive-or'ed with it.
 */
export const SENTINEL = 0xfffafffa;

/**
 * Replaces a data word that equals the sentinel: as one f32, or two f16 or bf16, it is also NaN.
 */
export const NOT_SENTINEL = 0xfffbfffb;

/** Bytes of a CTA's state: the number of its turns so far. */
export const SENTINEL_HEAD = 128;

/** Words of a line of memory. */
const LINE_WORDS = 8;

/** The largest launch, and the room of a communicator for words. */
export interface SentinelRoom {
  readonly ctas: number;
  readonly threads: number;
  /** Bytes that a rank sends to all its peers in a turn, about. */
  readonly bytes: number;
}

/**
 * The number of words that a CTA exchanges with each peer in a turn: whole lines, and two for each
 * thread at least.
 */
export function sentinelWords({ ctas, threads, bytes }: SentinelRoom, lsaSize: number): number {
  const lines = bytes / (ctas * Math.max(1, lsaSize - 1) * SENTINEL_BYTES * LINE_WORDS);
  return Math.max(2 * threads, LINE_WORDS * Math.ceil(lines));
}

/**
 * The requirement on a device communicator: for each CTA its state, and in each bank the words of
 * each peer.
 */
export function sentinelRequirement(room: SentinelRoom, lsaSize: number): DevResourceRequirements {
  const words = sentinelWords(room, lsaSize) * Math.max(1, lsaSize - 1);
  const bytes = SENTINEL_HEAD + SENTINEL_BANKS * SENTINEL_BYTES * words;
  return { bufferSize: room.ctas * bytes, bufferAlign: 128 };
}
