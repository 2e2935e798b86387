/**
 * Numbers from 0 to 1, below it, the same for the same seed: a linear congruential generator, whose
 * upper bits count.
 */
export function randomNumbers(seed: number): () => number {
  let state = (Math.imul(seed, 0x9e3779b1) + 1) >>> 0;
  return () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return (state >>> 8) / 2 ** 24;
  };
}
