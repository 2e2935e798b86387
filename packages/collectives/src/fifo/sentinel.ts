import type { DevResourceRequirements } from '@nccl-ts/devcomm';

/** CTAs, and words of 4 bytes that each exchanges in a round. */
export const SENTINEL_CTAS = 8;
export const SENTINEL_WORDS = 1024;

/** The number of buffers, used in turn. */
export const SENTINEL_BUFFERS = 3;

/**
 * Marks a word that has not arrived. Memory begins as zeros, so words are stored exclusive-or'ed
 * with this value.
 */
export const SENTINEL = 0xfffafffa;

/**
 * Replaces a data word that equals the sentinel: as one f32, or two f16 or bf16, it is also NaN.
 */
export const NOT_SENTINEL = 0xfffbfffb;

/**
 * Bytes of a CTA's state: the number of its rounds so far, and the number of words in the last one.
 */
export const SENTINEL_HEAD = 128;

/**
 * The requirement on a device communicator: for each CTA its state, and in each buffer a slot for
 * each rank.
 */
export function sentinelRequirement(lsaSize: number): DevResourceRequirements {
  const bytes = SENTINEL_HEAD + 4 * SENTINEL_BUFFERS * lsaSize * SENTINEL_WORDS;
  return { bufferSize: SENTINEL_CTAS * bytes, bufferAlign: 128 };
}
