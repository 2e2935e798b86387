/** The CPU time of one program, as a multiple of another's. */
export interface Cost {
  /** The median ratio of all pairs, and the quartiles. */
  readonly median: number;
  readonly quartiles: readonly [number, number];
  /** The medians of both: milliseconds of CPU time. */
  readonly milliseconds: { readonly paused: number; readonly unpaused: number };
  readonly pairs: number;
}

/** The shortest sample in milliseconds. Shorter ones are mostly noise. */
const SAMPLE = 60;

/**
 * Runs both in turn, every second pair in the other order. A sample is as many runs as `SAMPLE`
 * takes. `warmup` runs of each do not count.
 */
export async function pairedCost(
  paused: () => Promise<void>,
  unpaused: () => Promise<void>,
  pairs: number,
  warmup: number,
): Promise<Cost> {
  const samples: { readonly paused: number; readonly unpaused: number }[] = [];
  let least = Number.POSITIVE_INFINITY;
  for (let i = 0; i < warmup; i++) {
    await cpuTime(paused, 1);
    least = Math.min(least, await cpuTime(unpaused, 1));
  }
  const runs = Math.max(1, Math.ceil(SAMPLE / least));
  for (let pair = 0; pair < pairs; pair++) {
    const before = pair % 2 === 0 ? await cpuTime(paused, runs) : undefined;
    const other = await cpuTime(unpaused, runs);
    const own = before ?? (await cpuTime(paused, runs));
    samples.push({ paused: own, unpaused: other });
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

/** The milliseconds of CPU time of this process per run, for `runs` runs. */
async function cpuTime(run: () => Promise<void>, runs: number): Promise<number> {
  const began = process.cpuUsage();
  for (let i = 0; i < runs; i++) await run();
  const { user, system } = process.cpuUsage(began);
  return (user + system) / 1000 / runs;
}

function quantile(values: readonly number[], part: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.min(Math.floor(sorted.length * part), sorted.length - 1)] ?? Number.NaN;
}
