import type { DevResourceRequirements } from '@nccl-ts/devcomm';

/** Bytes that a thread sends at once. */
export const SENTINEL_BYTES = 16;

/** Banks that take turns. */
export const SENTINEL_BANKS = 2;

/**
 * In each 4 bytes of a word it stands for what has not come. Words are stored after an exclusive or with it, so that
 * memory that holds zeros has no words.
 */
export const SENTINEL = 0xfffafffa;

/** It is sent in place of the sentinel: as one f32, or two f16 or bf16, both are NaN. */
export const NOT_SENTINEL = 0xfffbfffb;

/** Bytes of a CTA's state: its turns so far. */
export const SENTINEL_HEAD = 128;

/** Words of a line of memory: CTAs share a call out in whole lines. */
const LINE_WORDS = 8;

/** The room that a communicator has for words. */
export interface SentinelRoom {
  readonly ctas: number;
  /** Bytes that a rank sends to all its peers in a turn, at most. */
  readonly bytes: number;
}

/** Words that a CTA exchanges with each peer in a turn, at most: whole lines. */
export function sentinelWords({ ctas, bytes }: SentinelRoom, lsaSize: number): number {
  const lines = bytes / (ctas * Math.max(1, lsaSize - 1) * SENTINEL_BYTES * LINE_WORDS);
  return LINE_WORDS * Math.ceil(lines);
}

/** What a device communicator is asked for: for each CTA its state, and in each bank the words of each peer. */
export function sentinelRequirement(room: SentinelRoom, lsaSize: number): DevResourceRequirements {
  const words = sentinelWords(room, lsaSize) * Math.max(1, lsaSize - 1);
  const bytes = SENTINEL_HEAD + SENTINEL_BANKS * SENTINEL_BYTES * words;
  return { bufferSize: room.ctas * bytes, bufferAlign: 128 };
}
