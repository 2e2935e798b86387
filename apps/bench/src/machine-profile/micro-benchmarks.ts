import type { World } from '@nccl-ts/communicator';
import { medianOf } from '../median-of.ts';
import { bothWaysSweep, copySweep, loadSweep, storeSweep, type Packs } from '../kernels/bandwidth-kernels.ts';
import * as latency from '../kernels/latency-kernels.ts';
import { HEAD_WORDS, MicroRunner, shape, type MicroBody } from './micro-runner.ts';

/** A measured time or rate, and how it was taken. */
export interface MicroResult {
  readonly name: string;
  readonly unit: 'ns' | 'bytes/ns';
  /** The median of the rounds. */
  readonly value: number;
  readonly rounds: readonly number[];
  readonly ctas: number;
  readonly threads: number;
  readonly packs: number;
}

/**
 * The extent of the measurement: enough for a GPU's figures, or only for a test on the simulator.
 */
export interface MicroOptions {
  /** The size of the buffer of a rank in bytes, which is more than the L2 cache of a GPU. */
  readonly bytes: number;
  readonly rounds: number;
  /**
   * The number of turns of the shorter launch of a latency. The longer one has five times as many.
   */
  readonly turns: number;
  /** The numbers of CTAs of the sweeps. */
  readonly ctas: readonly number[];
  readonly threads: number;
  /** The fewest bytes that a CTA of a sweep moves. */
  readonly bytesPerCta: number;
  /** The number of graph launches that are timed together. */
  readonly launches: number;
  readonly report: (result: MicroResult) => void;
  /** Called for a micro-benchmark that threw; the others continue. @default the error is thrown */
  readonly failed?: (name: string, error: unknown) => void;
}

type Keep = (
  name: string,
  unit: MicroResult['unit'],
  rounds: () => Promise<readonly number[]>,
  at?: Partial<MicroResult>,
) => Promise<void>;

/**
 * Measures the parts of a machine's profile. Latencies are the slope of a kernel's time over its
 * turns, and rates are the bytes divided by the slope. No collective runs.
 */
export async function microBenchmarks(world: World, options: MicroOptions): Promise<readonly MicroResult[]> {
  const results: MicroResult[] = [];
  const keep: Keep = async (name, unit, measure, at = {}) => {
    let rounds: readonly number[];
    try {
      rounds = await measure();
    } catch (error) {
      if (options.failed === undefined) throw error;
      options.failed(name, error);
      return;
    }
    const result = { name, unit, value: medianOf(rounds), rounds, ctas: 1, threads: 1, packs: 1, ...at };
    results.push(result);
    options.report(result);
  };
  const run = await MicroRunner.open(world, options.bytes, options);
  await measureLaunches(run, options, keep);
  await measureLatencies(run, options, keep);
  await measureRates(run, options, keep);
  return results;
}

async function measureLatencies(run: MicroRunner, { turns, threads }: MicroOptions, keep: Keep): Promise<void> {
  const { words } = run;
  const pingPong =
    (kernel: typeof latency.flagTrip, block: number): MicroBody =>
    async (comm, { win, devComm }, iters) => {
      await comm.launch(latency.clearFlags, shape(1, 32), { comm: devComm, win, iters, words });
      await comm.launch(kernel, shape(1, block), { comm: devComm, win, iters, words, base: 0 });
    };
  const half = (times: readonly number[]): readonly number[] => times.map((time) => time / 2);
  await keep('flag-trip', 'ns', async () => half(await run.slope(pingPong(latency.flagTrip, 32), turns)));
  for (const block of [32, threads]) {
    const at = { threads: block };
    await keep(
      'release-trip',
      'ns',
      async () => half(await run.slope(pingPong(latency.releaseTrip, block), turns)),
      at,
    );
  }
  for (const peer of [0, 1]) {
    const where = peer === 0 ? 'own' : 'peer';
    const chain: MicroBody = async (comm, { win, devComm }, iters) =>
      comm.launch(latency.loadChain, shape(1, 32), { comm: devComm, win, iters, words, peer, first: HEAD_WORDS });
    await keep(`load-chain-${where}-cached`, 'ns', async () => run.slope(chain, turns));
    // A pass over the whole buffer of every rank replaces the lines in the caches.
    const cold: MicroBody = async (comm, setup, iters) => {
      const { win, devComm } = setup;
      const units = (words - HEAD_WORDS) / 4;
      const pass = { comm: devComm, win, iters: 1, words: units - (units % STRIDE), distance: 0, active: comm.nRanks };
      await comm.launch(loadedOnce, shape(128, threads), pass);
      await chain(comm, setup, iters);
    };
    if (words > 2 * STRIDE * 4) await keep(`load-chain-${where}`, 'ns', async () => run.slope(cold, turns));
    const atomics: MicroBody = async (comm, { win, devComm }, iters) =>
      comm.launch(latency.atomicChain, shape(1, 32), { comm: devComm, win, iters, words, peer });
    await keep(`atomic-chain-${where}`, 'ns', async () => run.slope(atomics, turns));
  }
  for (const block of [32, threads]) {
    const sync: MicroBody = async (comm, { win, devComm }, iters) =>
      comm.launch(latency.ctaSync, shape(1, block), { comm: devComm, win, iters, words });
    await keep('cta-sync', 'ns', async () => run.slope(sync, 4 * turns), { threads: block });
  }
  const fences: MicroBody = async (comm, { win, devComm }, iters) =>
    comm.launch(latency.fenceChain, shape(1, 32), { comm: devComm, win, iters, words });
  await keep('fence', 'ns', async () => run.slope(fences, turns));
}

const loadedOnce = loadSweep(4);
/** The number of 16-byte units that a turn of that pass covers. */
const STRIDE = 128 * 1024 * 4;

const sweeps = { load: loadSweep, store: storeSweep, copy: copySweep, both: bothWaysSweep };

async function measureRates(run: MicroRunner, options: MicroOptions, keep: Keep): Promise<void> {
  const units = (run.words - HEAD_WORDS) / 4;
  const { nRanks } = run.world;
  const measure = async (
    kind: keyof typeof sweeps,
    where: 'own' | 'peer' | 'one-way',
    ctas: number,
    threads: number,
    packs: Packs,
  ): Promise<void> => {
    const kernel = sweeps[kind](packs);
    // Each launch moves enough to take longer than the launch itself, and at most the buffer.
    const step = ctas * threads * packs * 2;
    const wanted = Math.min(units, Math.ceil((ctas * options.bytesPerCta) / 16));
    const moved = Math.max(1, Math.floor(wanted / step)) * step;
    if (moved > units) return;
    const body: MicroBody = async (comm, { win, devComm }, iters) =>
      comm.launch(kernel, shape(ctas, threads), {
        comm: devComm,
        win,
        iters,
        words: moved,
        distance: where === 'own' ? 0 : 1,
        active: where === 'one-way' ? 1 : nRanks,
      });
    // `copy` and `both` move half of the buffer in each direction.
    const bytes = (kind === 'copy' || kind === 'both' ? 8 : 16) * moved;
    const turns = Math.max(1, Math.ceil((4 * options.bytesPerCta) / (16 * (moved / ctas)) / 4));
    const rates = async (): Promise<readonly number[]> => (await run.slope(body, turns)).map((time) => bytes / time);
    await keep(`${kind}-${where}`, 'bytes/ns', rates, { ctas, threads, packs });
  };
  const { threads } = options;
  for (const kind of ['load', 'store'] as const) {
    for (const where of ['peer', 'own'] as const) {
      for (const ctas of options.ctas) await measure(kind, where, ctas, threads, 4);
      for (const few of [32, 128]) await measure(kind, where, 1, few, 4);
      for (const few of [32, 128, threads]) await measure(kind, where, 1, few, 1);
    }
    await measure(kind, 'one-way', options.ctas.at(-1) ?? 1, threads, 4);
  }
  for (const kind of ['copy', 'both'] as const) {
    for (const where of ['peer', 'own'] as const) {
      for (const ctas of options.ctas.filter((_, i) => i % 2 === 0 || i === options.ctas.length - 1)) {
        await measure(kind, where, ctas, threads, 4);
      }
    }
  }
}

/**
 * The launches of a graph run one after the other. A long and a short graph differ by this number
 * of launches.
 */
async function measureLaunches(run: MicroRunner, { threads }: MicroOptions, keep: Keep): Promise<void> {
  const { words } = run;
  const launches = 20;
  for (const [ctas, block] of [
    [1, 32],
    [8, 128],
    [64, threads],
    [128, threads],
  ] as const) {
    const nothing: MicroBody = async (comm, _setup, turns) => {
      for (let i = 0; i < turns; i++) await comm.launch(latency.empty, shape(ctas, block), {});
    };
    await keep('launch-in-graph', 'ns', async () => run.slope(nothing, launches), { ctas, threads: block });
    const flagged: MicroBody = async (comm, { win, devComm }, turns) => {
      const args = { comm: devComm, win, iters: 1, words, base: 1 };
      for (let i = 0; i < turns; i++) await comm.launch(latency.launchFlag, shape(ctas, block), args);
    };
    if (ctas === 1) await keep('launch-and-flag', 'ns', async () => run.slope(flagged, launches));
    const loading: MicroBody = async (comm, { win, devComm }, turns) => {
      const args = { comm: devComm, win, iters: 1, words, peer: 0, first: HEAD_WORDS };
      for (let i = 0; i < turns; i++) await comm.launch(latency.loadChain, shape(1, 32), args);
    };
    if (ctas === 1) await keep('launch-and-load', 'ns', async () => run.slope(loading, launches));
  }
}
