import { medianOf, WARP_SIZE } from '@nccl-ts/core';
import type { World } from '@nccl-ts/communicator';
import { bidirectionalSweep, copySweep, loadSweep, storeSweep, type Packs } from './kernels/bandwidth-kernels.ts';
import * as latency from './kernels/latency-kernels.ts';
import { fanInSweep, fanOutSweep, incastSweep, spreadSweep } from './kernels/mixed-kernels.ts';
import { measureFlags, measureLaunches } from './launch-benchmarks.ts';
import { shapeLimit, type KeepResult, type MicroOptions, type MicroResult } from './micro-options.ts';
import { measureParts, measureSyncs } from './sync-benchmarks.ts';
import { HEAD_WORDS, MicroRunner, shape, type MicroBody } from './micro-runner.ts';

/** Bytes of a buffer that has room for the flags, and for a chain. */
const FLAG_BYTES = 1 << 20;

/** The numbers of ranks that wait for each other in launches. */
const RANKS = [2, 4, 8];

/**
 * Measures the parts of a machine's profile. Latencies are the slope of a kernel's time over its
 * turns, and rates are the bytes divided by the slope. No collective runs. Most is measured between
 * two ranks. With more GPUs, it also measures launches of more ranks that wait for each other.
 *
 * @param open opens a world of this many ranks, one on each GPU.
 * @param gpus the number of GPUs, at least 2.
 */
export async function microBenchmarks(
  open: (ranks: number) => Promise<World>,
  gpus: number,
  options: MicroOptions,
): Promise<readonly MicroResult[]> {
  const results: MicroResult[] = [];
  const keep: KeepResult = async (name, unit, measure, at = {}) => {
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
  await measurePair(open, options, keep);
  for (const ranks of RANKS.filter((number) => number <= gpus)) {
    await using world = await open(ranks);
    await measureFlags(await MicroRunner.open(world, FLAG_BYTES, options), options, keep);
  }
  return results;
}

async function measurePair(
  open: (ranks: number) => Promise<World>,
  options: MicroOptions,
  keep: KeepResult,
): Promise<void> {
  await using world = await open(2);
  const run = await MicroRunner.open(world, options.bytes, options);
  await measureLaunches(run, options, keep);
  await measureParts(run, options, keep);
  await measureLatencies(run, options, keep);
  await measureSyncs(run, options, keep);
  await measureRates(run, options, keep);
}

async function measureLatencies(run: MicroRunner, options: MicroOptions, keep: KeepResult): Promise<void> {
  const { turns, threads } = options;
  const most = shapeLimit(options);
  const { words } = run;
  const pingPong =
    (kernel: typeof latency.flagTrip, block: number): MicroBody =>
    async (comm, { win, devComm }, iters) => {
      await comm.launch(latency.clearFlags, shape(1, WARP_SIZE), { comm: devComm, win, iters, words });
      await comm.launch(kernel, shape(1, block), { comm: devComm, win, iters, words, base: 0 });
    };
  const half = (times: readonly number[]): readonly number[] => times.map((time) => time / 2);
  await keep('flag-trip', 'ns', async () => half(await run.slope(pingPong(latency.flagTrip, WARP_SIZE), turns)));
  for (const block of [WARP_SIZE, threads]) {
    const at = { threads: block };
    await keep(
      'release-trip',
      'ns',
      async () => half(await run.slope(pingPong(latency.releaseTrip, block), turns)),
      at,
    );
  }
  // The launches before have stored over the chain, which led into the head of the buffer then.
  await run.link();
  const followed = async (body: MicroBody): Promise<readonly number[]> => {
    const slope = await run.slope(body, turns);
    await run.expectChain(5 * turns);
    return slope;
  };
  for (const peer of [0, 1]) {
    const where = peer === 0 ? 'own' : 'peer';
    const chain: MicroBody = async (comm, { win, devComm }, iters) =>
      comm.launch(latency.loadChain, shape(1, WARP_SIZE), {
        comm: devComm,
        win,
        iters,
        words,
        peer,
        first: HEAD_WORDS,
      });
    await keep(`load-chain-${where}-cached`, 'ns', async () => followed(chain));
    // A pass over the whole buffer of every rank replaces the lines in the caches.
    const cold: MicroBody = async (comm, setup, iters) => {
      const { win, devComm } = setup;
      const units = (words - HEAD_WORDS) / 4;
      const pass = { comm: devComm, win, iters: 1, words: units - (units % STRIDE), distance: 0, active: comm.nRanks };
      await comm.launch(loadedOnce, shape(128, threads), pass);
      await chain(comm, setup, iters);
    };
    if (words > 2 * STRIDE * 4) await keep(`load-chain-${where}`, 'ns', async () => followed(cold));
    const atomics: MicroBody = async (comm, { win, devComm }, iters) =>
      comm.launch(latency.atomicChain, shape(1, WARP_SIZE), { comm: devComm, win, iters, words, peer });
    await keep(`atomic-chain-${where}`, 'ns', async () => run.slope(atomics, turns));
  }
  for (const block of [WARP_SIZE, threads]) {
    const sync: MicroBody = async (comm, { win, devComm }, iters) =>
      comm.launch(latency.ctaSync, shape(1, block), { comm: devComm, win, iters, words });
    await keep('cta-sync', 'ns', async () => run.slope(sync, 4 * turns), { threads: block });
  }
  const fences: MicroBody = async (comm, { win, devComm }, iters) =>
    comm.launch(latency.fenceChain, shape(1, WARP_SIZE), { comm: devComm, win, iters, words });
  await keep('fence', 'ns', async () => run.slope(fences, turns));
  const ctaFences: MicroBody = async (comm, { win, devComm }, iters) =>
    comm.launch(latency.ctaFence, shape(1, threads), { comm: devComm, win, iters, words });
  await keep('fence-of-cta', 'ns', async () => run.slope(ctaFences, turns), { threads });
  for (const [ctas, block] of [
    [1, WARP_SIZE],
    [1, 256],
    [1, threads],
    [16, 256],
    [64, 256],
    [128, threads],
  ] as const) {
    if (ctas > most || ctas * block * 8 > words) continue;
    const trips: MicroBody = async (comm, { win, devComm }, iters) => {
      const common = { comm: devComm, win, words };
      await comm.launch(latency.clearWords, shape(1, threads), { ...common, iters: 1, count: 2 * ctas * block });
      await comm.launch(latency.wordTrip, shape(ctas, block), { ...common, iters, first: 1 });
    };
    await keep('word-trip', 'ns', async () => run.slope(trips, turns), { ctas, threads: block });
  }
}

const loadedOnce = loadSweep(4);
/** The number of 16-byte units that a turn of that pass covers. */
const STRIDE = 128 * 1024 * 4;

const sweeps = {
  load: loadSweep,
  store: storeSweep,
  copy: copySweep,
  both: bidirectionalSweep,
  'fan-out': fanOutSweep,
  'fan-in': fanInSweep,
  incast: incastSweep,
  spread: spreadSweep,
};

/** Bytes of a sweep's rate by unit of 16 bytes: halves or quarters of a buffer go one way. */
function bytesOf(kind: keyof typeof sweeps, ranks: number): number {
  if (kind === 'copy' || kind === 'both') return 8;
  if (kind === 'fan-out' || kind === 'fan-in') return 4;
  return kind === 'incast' || kind === 'spread' ? (16 * (ranks - 1)) / ranks : 16;
}

async function measureRates(run: MicroRunner, options: MicroOptions, keep: KeepResult): Promise<void> {
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
    const step = ctas * threads * packs * 4;
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
    const bytes = bytesOf(kind, nRanks) * moved;
    const turns = Math.max(1, Math.ceil((4 * options.bytesPerCta) / (16 * (moved / ctas)) / 4));
    const rates = async (): Promise<readonly number[]> => (await run.slope(body, turns)).map((time) => bytes / time);
    await keep(`${kind}-${where}`, 'bytes/ns', rates, { ctas, threads, packs });
  };
  const { threads } = options;
  for (const kind of ['load', 'store'] as const) {
    for (const where of ['peer', 'own'] as const) {
      for (const ctas of options.ctas) await measure(kind, where, ctas, threads, 4);
      for (const few of [WARP_SIZE, 128]) await measure(kind, where, 1, few, 4);
      for (const few of [WARP_SIZE, 128, threads]) await measure(kind, where, 1, few, 1);
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
  const wide = options.ctas.filter((ctas) => ctas >= 16);
  for (const kind of ['fan-out', 'fan-in', 'spread', 'incast'] as const) {
    if (nRanks === 2 && (kind === 'spread' || kind === 'incast')) continue;
    for (const ctas of wide) await measure(kind, 'peer', ctas, threads, 4);
  }
}
