/** A contender to time. One call is one sample. */
export interface TimedContender {
  readonly name: string;
  run(): Promise<void> | void;
}

/** Milliseconds of one contender's samples, ascending. */
export interface Samples {
  readonly name: string;
  readonly ms: readonly number[];
}

/**
 * Times all contenders in turn, `rounds` times, after `warmup` rounds that do not count. On a
 * shared machine only interleaved runs can be compared.
 */
export async function interleave(
  contenders: readonly TimedContender[],
  rounds: number,
  warmup: number,
): Promise<readonly Samples[]> {
  const ms = contenders.map((): number[] => []);
  for (let round = -warmup; round < rounds; round++) {
    for (const [index, contender] of contenders.entries()) {
      const start = performance.now();
      await contender.run();
      const took = performance.now() - start;
      if (round >= 0) ms[index]?.push(took);
    }
  }
  return contenders.map(({ name }, index) => ({ name, ms: (ms[index] ?? []).toSorted((a, b) => a - b) }));
}
