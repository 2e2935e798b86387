import { medianOf } from '@nccl-ts/core';
import { straightCode } from './kernels/issue-kernels.ts';
import * as latency from './kernels/latency-kernels.ts';
import { shapeLimit, type KeepResult, type MicroOptions } from './micro-options.ts';
import { HEAD_WORDS, shape, type MicroBody, type MicroRunner } from './micro-runner.ts';

/**
 * Pairs of instructions in the two kernels whose difference is the time of an instruction. Both
 * take longer than the launch of the next kernel, which overlaps with them.
 */
const SHORT_CODE = 192;
const LONG_CODE = 448;

function empties(ctas: number, block: number): MicroBody {
  return async (comm, _setup, turns) => {
    for (let i = 0; i < turns; i++) await comm.launch(latency.empty, shape(ctas, block), {});
  };
}

/** The launches that are measured: pairs of CTAs and threads. */
function shapesOf(options: MicroOptions): readonly (readonly [ctas: number, threads: number])[] {
  const { threads } = options;
  const shapes = [
    [1, 32],
    [1, 256],
    [8, 128],
    [64, threads],
    [128, threads],
    [264, 256],
  ] as const;
  return shapes.filter(([ctas]) => ctas <= shapeLimit(options));
}

/**
 * Launches in which each CTA waits for that of every other rank. With more ranks, the last one to
 * begin comes later. `graph-gap` is the time from the last launch of a graph to the first one of
 * the next graph, in addition to the time between two launches of a graph. It depends on how long
 * the graphs take, so graphs of several lengths are measured.
 */
export async function measureFlags(run: MicroRunner, options: MicroOptions, keep: KeepResult): Promise<void> {
  const { words, world } = run;
  const { graph } = options;
  const launches = 10 * options.launches;
  // The clock of an idle GPU is slow.
  await run.slope(empties(1, options.threads), 10 * graph, launches);
  for (const [ctas, threads] of shapesOf(options)) {
    const flagged: MicroBody = async (comm, { win, devComm }, turns) => {
      const args = { comm: devComm, win, iters: 1, words, base: 1 };
      for (let i = 0; i < turns; i++) await comm.launch(latency.launchFlags, shape(ctas, threads), args);
    };
    const at = { ctas, threads, ranks: world.nRanks };
    let slopes: readonly number[] = [];
    const measureSlope = async (): Promise<readonly number[]> => {
      slopes = await run.slope(flagged, 2 * graph, launches);
      return slopes;
    };
    await keep('launch-and-flags', 'ns', measureSlope, at);
    const gaps = async (): Promise<readonly number[]> => {
      const slope = medianOf(slopes);
      const found: number[] = [];
      for (const turns of [Math.ceil(graph / 2), graph, 2 * graph, 4 * graph]) {
        found.push(medianOf(await run.time(flagged, turns, launches)) - turns * slope);
      }
      return found;
    };
    if (slopes.length > 0) await keep('graph-gap', 'ns', gaps, at);
  }
}

/** Launches of a graph follow each other; a long and a short graph differ by their number. */
export async function measureLaunches(run: MicroRunner, options: MicroOptions, keep: KeepResult): Promise<void> {
  const { words } = run;
  const { threads, graph } = options;
  // The clock of an idle GPU is slow.
  await run.slope(empties(1, threads), 10 * graph);
  for (const [ctas, block] of shapesOf(options)) {
    const at = { ctas, threads: block };
    await keep('launch-in-graph', 'ns', async () => run.slope(empties(ctas, block), graph), at);
    for (const distance of [0, 1]) {
      const stored: MicroBody = async (comm, { win, devComm }, turns) => {
        const args = { comm: devComm, win, iters: 1, words: words - HEAD_WORDS, distance };
        for (let i = 0; i < turns; i++) await comm.launch(latency.launchStore, shape(ctas, block), args);
      };
      const name = distance === 0 ? 'launch-and-store-own' : 'launch-and-store-peer';
      await keep(name, 'ns', async () => run.slope(stored, graph), at);
    }
    if (ctas > 1) continue;
    const loading: MicroBody = async (comm, { win, devComm }, turns) => {
      const args = { comm: devComm, win, iters: 1, words, peer: 0, first: HEAD_WORDS };
      for (let i = 0; i < turns; i++) await comm.launch(latency.loadChain, shape(1, block), args);
    };
    const code = async (pairs: number): Promise<readonly number[]> => {
      const straight: MicroBody = async (comm, { win, devComm }, turns) => {
        const args = { comm: devComm, win, zero: 0 };
        for (let i = 0; i < turns; i++) await comm.launch(straightCode(pairs), shape(1, block), args);
      };
      return run.slope(straight, graph);
    };
    const issue = async (): Promise<readonly number[]> => {
      const short = medianOf(await code(SHORT_CODE));
      return (await code(LONG_CODE)).map((time) => (time - short) / (2 * (LONG_CODE - SHORT_CODE)));
    };
    await keep('issue', 'ns', issue, at);
    await keep('launch-and-load', 'ns', async () => run.slope(loading, graph), at);
  }
}
