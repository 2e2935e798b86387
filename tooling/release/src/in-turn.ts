/**
 * Calls `work` for each value, in this many lanes at the same time, and returns the results in the
 * order of the values.
 */
export async function inTurn<T, R>(
  lanes: number,
  values: readonly T[],
  work: (value: T) => Promise<R>,
): Promise<readonly R[]> {
  const results = new Map<number, R>();
  const waiting = [...values.entries()];
  const lane = async (): Promise<void> => {
    for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) {
      const [index, value] = next;
      results.set(index, await work(value));
    }
  };
  await Promise.all(Array.from({ length: lanes }, lane));
  return [...results].toSorted(([a], [b]) => a - b).map(([, result]) => result);
}
