/**
 * The contents of a 4-byte word before data arrives. As a float it is a NaN that no sum produces.
 */
export const SENTINEL = 0xfffafffa;

/** Sent instead of floats that equal the sentinel. It is also a NaN. */
export const NOT_SENTINEL = 0xfffbfffb;

/** Words in which no data has arrived. */
export function sentinels(words: number): Uint32Array {
  return new Uint32Array(words).fill(SENTINEL);
}
