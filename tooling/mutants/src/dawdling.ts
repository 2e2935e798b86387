/**
 * Pauses for some turns of the event loop, or none, depending on the seed. Meanwhile the kernels of
 * other ranks run.
 */
export function dawdling(seed: number): () => Promise<void> {
  let state = (seed * 2654435761) >>> 0;
  return async () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    for (let turns = state >>> 30; turns > 0; turns--) {
      await new Promise<void>((resolve) => {
        setImmediate(resolve);
      });
    }
  };
}
