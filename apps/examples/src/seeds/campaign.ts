import { sim } from '@nccl-ts/backend-sim';
import { isNcclError } from '@nccl-ts/core';
import { renderReport } from '@nccl-ts/findings';
import type { Example } from '../example.ts';
import { randomNumbers } from '../random.ts';

/** The number of ranks, and how many of them reach each other's memory. */
export interface RankShape {
  readonly ranks: number;
  readonly lsaSize: number;
}

/** The time at which the simulated network delivers. */
export type DeliveryTiming = 'random' | 'late';

/** Every number of ranks and size of LSA teams with which the examples run. */
export const shapes: readonly RankShape[] = [2, 4, 8, 16].flatMap((ranks) =>
  [1, 2, 4, 8].filter((lsaSize) => lsaSize <= ranks).map((lsaSize) => ({ ranks, lsaSize })),
);

/** A wrong run, with its input and its output. */
export interface Failure extends RankShape {
  readonly example: string;
  readonly delivery: DeliveryTiming;
  readonly seed: number;
  readonly said: string;
}

/** The schedules of an example. */
export interface Schedules {
  readonly deliveries: readonly DeliveryTiming[];
  readonly firstSeed: number;
  readonly seeds: number;
  /**
   * True to check runs for races and other errors. Each third of the seeds uses another strategy.
   * @default false
   */
  readonly check?: boolean;
  /**
   * True to use as many elements as NCCL's example. By default as few as its synchronisation
   * allows.
   */
  readonly full?: boolean;
}

/**
 * The deliveries under which runs of an example can differ. An example that does not use the
 * network has only one.
 */
export function deliveriesOf({ needs }: Example, requested: readonly DeliveryTiming[]): readonly DeliveryTiming[] {
  return needs.includes('gin') ? requested : requested.slice(0, 1);
}

/** The results of some schedules. */
export interface CampaignOutcome {
  readonly runs: number;
  readonly seconds: number;
  readonly failures: readonly Failure[];
}

/**
 * Runs an example on a shape, once for every delivery and seed. A run that throws, for example
 * because of a deadlock, counts as wrong.
 */
export async function runSchedules(
  example: Example,
  { ranks, lsaSize }: RankShape,
  { deliveries, firstSeed, seeds, check = false, full = false }: Schedules,
): Promise<CampaignOutcome> {
  const began = performance.now();
  const failures: Failure[] = [];
  let runs = 0;
  for (const delivery of deliveriesOf(example, deliveries)) {
    for (let seed = firstSeed; seed < firstSeed + seeds; seed++) {
      const machine = { ranks, lsaSize, seed, multimem: true, gin: { delivery } } as const;
      const strategy = strategies[seed % strategies.length] ?? 'random';
      const backend = sim(check ? { ...machine, mode: 'check', strategy } : machine);
      const said = await complaintOf(full ? example.full : example.small, backend, dawdling(seed));
      runs++;
      if (said !== undefined) failures.push({ example: example.name, ranks, lsaSize, delivery, seed, said });
    }
  }
  return { runs, seconds: (performance.now() - began) / 1000, failures };
}

/** True if an example can be run on a shape. */
export function fits({ needs }: Example, { ranks, lsaSize }: RankShape): boolean {
  return lsaSize === ranks || !needs.includes('single domain');
}

const strategies = ['random', 'pct', 'late'] as const;

/** The message of an example with a wrong result. `undefined` if the result is right. */
async function complaintOf(
  runs: Example['small'],
  backend: ReturnType<typeof sim>,
  pause: () => Promise<void>,
): Promise<string | undefined> {
  const lines: string[] = [];
  try {
    const passed = await runs({ backend, print: (line) => lines.push(line), pause });
    if (!passed) return lines.join('\n');
    const report = backend.isChecking ? backend.report() : undefined;
    if (report === undefined || report.verdict === 'clean') return undefined;
    return renderReport(report);
  } catch (error) {
    if (!isNcclError(error)) throw error;
    return [...lines, `error[${error.code}]: ${error.message}`].join('\n');
  }
}

/** Pauses for some turns of the event loop, or none. Meanwhile the kernels of other ranks run. */
function dawdling(seed: number): () => Promise<void> {
  const next = randomNumbers(seed);
  return async () => {
    for (let turns = Math.floor(next() * 4); turns > 0; turns--) {
      await new Promise<void>((resolve) => {
        setImmediate(resolve);
      });
    }
  };
}
