/**
 * Returns pseudorandom numbers from 0 to below 1, which are the same for the same seed. It uses the
 * upper bits of a linear congruential generator.
 */
export function randomNumbers(seed: number): () => number {
  let state = (Math.imul(seed, 0x9e3779b1) + 1) >>> 0;
  return () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return (state >>> 8) / 2 ** 24;
  };
}
