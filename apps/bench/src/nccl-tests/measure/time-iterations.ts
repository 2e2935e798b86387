import type { ContenderGraph } from '../contender.ts';
import type { BenchConfig } from '../report/bench-report.ts';

/**
 * The result that -a selects from the ranks' times: rank 0's, the average, the minimum, or the
 * maximum.
 */
export type Average = 0 | 1 | 2 | 3;

/** The time of one iteration. */
export interface IterationTime {
  readonly seconds: number;
  /** The time until the host had enqueued it. */
  readonly cpuSeconds: number;
  /** The times of each iteration, if requested. */
  readonly each?: readonly number[];
}

/** The measured operation, and the method. */
export interface TimedRun {
  readonly localRanks: readonly number[];
  readonly config: Pick<BenchConfig, 'iters' | 'aggIters' | 'graphLaunches' | 'blocking' | 'perIterTiming'>;
  readonly average: Average;
  /** Enqueues call number `iter` on all ranks. */
  readonly start: (iter: number) => Promise<void>;
  /** Records the work that `body` enqueues. */
  readonly capture: (body: () => Promise<void>) => Promise<ContenderGraph>;
  /** Waits for one rank. */
  readonly synchronize: (rank: number) => Promise<void>;
}

/**
 * The time of one iteration as nccl-tests defines it: from the start of the first call until the
 * rank has finished the last one, divided by their number. All ranks begin together. If the calls
 * are in a graph, the time to record it does not count.
 */
export async function timeIterations(run: TimedRun): Promise<IterationTime> {
  return run.config.graphLaunches > 0 ? timeGraph(run) : timeCalls(run);
}

async function timeCalls(run: TimedRun): Promise<IterationTime> {
  const { config, start, average } = run;
  const { iters, aggIters, blocking, perIterTiming } = config;
  const calls = iters * aggIters;
  const each: number[] = [];
  const began = performance.now();
  for (let iter = 0; iter < iters; iter++) {
    const before = performance.now();
    for (let call = 0; call < aggIters; call++) {
      await start(iter * aggIters + call);
      if (blocking === 1 || blocking === 2) await synchronizeAll(run);
    }
    // There are no timing events, so the host waits for each iteration.
    if (blocking === 3 || perIterTiming) await synchronizeAll(run);
    each.push((performance.now() - before) / 1e3);
  }
  const enqueued = (performance.now() - began) / 1e3;
  const apart = each.reduce((sum, seconds) => sum + seconds, 0);
  const ends = await synchronizeAll(run);
  const seconds = blocking === 3 ? apart : over(average, ends) - began / 1e3;
  return {
    seconds: seconds / calls,
    cpuSeconds: (blocking === 3 ? apart : enqueued) / calls,
    ...(perIterTiming ? { each: each.map((time) => time / aggIters) } : {}),
  };
}

async function timeGraph(run: TimedRun): Promise<IterationTime> {
  const { config, start, average } = run;
  const { graphLaunches } = config;
  const calls = config.iters * config.aggIters;
  await using graph = await run.capture(async () => {
    for (let call = 0; call < calls; call++) await start(call);
  });
  await synchronizeAll(run);
  const began = performance.now();
  for (let launch = 0; launch < graphLaunches; launch++) await graph.launch();
  const enqueued = (performance.now() - began) / 1e3;
  const ends = await synchronizeAll(run);
  return {
    seconds: (over(average, ends) - began / 1e3) / calls / graphLaunches,
    cpuSeconds: enqueued / calls,
  };
}

/** The time at which each rank had finished, in seconds. */
export async function synchronizeAll({
  localRanks,
  synchronize,
}: Pick<TimedRun, 'localRanks' | 'synchronize'>): Promise<number[]> {
  return Promise.all(
    localRanks.map(async (rank) => {
      await synchronize(rank);
      return performance.now() / 1e3;
    }),
  );
}

function over(average: Average, ends: readonly number[]): number {
  const table: Readonly<Record<Average, () => number>> = {
    0: () => ends[0] ?? Number.NaN,
    1: () => ends.reduce((sum, end) => sum + end, 0) / ends.length,
    2: () => Math.min(...ends),
    3: () => Math.max(...ends),
  };
  return table[average]();
}
