import type { DevResourceRequirements } from '@nccl-ts/devcomm';

/** CTAs, and words of 4 bytes that each exchanges in a turn. */
export const SENTINEL_CTAS = 8;
export const SENTINEL_WORDS = 1024;

/** Buffers that take turns. */
export const SENTINEL_BUFFERS = 3;

/** What stands for a word that has not come, in memory that begins as zeros: words are stored after an exclusive or with it. */
export const SENTINEL = 0xfffafffa;

/** In its place: as one f32, or two f16 or bf16, it is NaN as the sentinel is. */
export const NOT_SENTINEL = 0xfffbfffb;

/** Bytes of a CTA's state: its turns so far, and the words that the last of them had. */
export const SENTINEL_HEAD = 128;

/** What a device communicator is asked for: for each CTA its state, and in each buffer a place for each rank. */
export function sentinelRequirement(lsaSize: number): DevResourceRequirements {
  const bytes = SENTINEL_HEAD + 4 * SENTINEL_BUFFERS * lsaSize * SENTINEL_WORDS;
  return { bufferSize: SENTINEL_CTAS * bytes, bufferAlign: 128 };
}
