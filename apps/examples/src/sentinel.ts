/**
 * The contents of a word of 4 bytes before data arrive. As a float it is a NaN that no sum
 * produces.
 */
export const SENTINEL = 0xfffafffa;

/** Sent in place of floats that equal the sentinel: NaN as well. */
export const NOT_SENTINEL = 0xfffbfffb;

/** Words in which nothing has come. */
export function sentinels(words: number): Uint32Array {
  return new Uint32Array(words).fill(SENTINEL);
}
