/** The CPU time of one program, as a multiple of another's. */
export interface Cost {
  /** The middle ratio of all pairs, and the quartiles. */
  readonly median: number;
  readonly quartiles: readonly [number, number];
  /** The medians of both: milliseconds of CPU time. */
  readonly milliseconds: { readonly paused: number; readonly unpaused: number };
  readonly pairs: number;
}

/** Runs both in turn, every second pair in the other order. `warmup` pairs do not count. */
export async function pairedCost(
  paused: () => Promise<void>,
  unpaused: () => Promise<void>,
  pairs: number,
  warmup: number,
): Promise<Cost> {
  const samples: { readonly paused: number; readonly unpaused: number }[] = [];
  for (let pair = -warmup; pair < pairs; pair++) {
    const isFirst = pair % 2 === 0;
    const before = isFirst ? await cpuTime(paused) : undefined;
    const other = await cpuTime(unpaused);
    const own = before ?? (await cpuTime(paused));
    if (pair >= 0) samples.push({ paused: own, unpaused: other });
  }
  const ratios = samples.map((sample) => sample.paused / sample.unpaused);
  return {
    median: quantile(ratios, 0.5),
    quartiles: [quantile(ratios, 0.25), quantile(ratios, 0.75)],
    milliseconds: {
      paused: quantile(
        samples.map((sample) => sample.paused),
        0.5,
      ),
      unpaused: quantile(
        samples.map((sample) => sample.unpaused),
        0.5,
      ),
    },
    pairs,
  };
}

/** Milliseconds of CPU time of this process. */
async function cpuTime(run: () => Promise<void>): Promise<number> {
  const began = process.cpuUsage();
  await run();
  const { user, system } = process.cpuUsage(began);
  return (user + system) / 1000;
}

function quantile(values: readonly number[], part: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.min(Math.floor(sorted.length * part), sorted.length - 1)] ?? Number.NaN;
}
