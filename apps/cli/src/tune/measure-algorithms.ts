import {
  algorithmFacts,
  algorithmsOf,
  type Algorithm,
  type CollectiveName,
  type TuneMeasurement,
} from '@nccl-ts/collectives';
import type { Graph, World } from '@nccl-ts/communicator';
import { isNcclError, scalarInfo, type ScalarKind } from '@nccl-ts/core';
import { warmUp } from './warm-up.ts';
import { tuneCall, tuneCount, type TuneCall } from '../predict/tune-collective.ts';

/** The subjects of a measurement, and their number of repetitions. */
export interface MeasureOptions {
  readonly collectives: readonly CollectiveName[];
  /**
   * The sizes in bytes, as nccl-tests counts them: those of all ranks' parts, if there are parts.
   */
  readonly sizes: readonly number[];
  readonly element: ScalarKind;
  /** The number of rounds. Each measures all algorithms once. */
  readonly rounds: number;
  /** The number of calls in one measurement. */
  readonly iters: number;
  /**
   * The smallest number of warm-up measurements of each algorithm, which do not count; 0 for none.
   * They continue until times are steady.
   */
  readonly warmups: number;
  /** How often one measurement launches a graph of the calls; 0 for no graph. */
  readonly graphLaunches: number;
}

/** A measurement. Its times are microseconds for one call. */
export interface SizedMeasurement extends TuneMeasurement {
  /** The requested size. */
  readonly size: number;
}

/** Callbacks for progress. */
export interface MeasureListener {
  doing(what: string): void;
  /** Called if an algorithm is left out, with the reason. */
  refused(collective: CollectiveName, algorithm: Algorithm, why: string): void;
}

/**
 * Measures every algorithm that can run here, out of place. The algorithms of one size take turns,
 * and each round starts with a different one, because on a shared machine only interleaved
 * measurements are comparable. It does not verify data.
 */
export async function measureAlgorithms(
  world: World,
  options: MeasureOptions,
  listener: MeasureListener,
): Promise<readonly SizedMeasurement[]> {
  const { collectives, sizes, element } = options;
  const elementBytes = scalarInfo[element].bytes;
  const bed: Bed = { world, options, listener, calls: await callsOn(world, Math.max(...sizes), element) };
  const several = world.localRanks.some((rank) => world.comm(rank).lsaSize < world.nRanks);
  // Over PCIe the results of some algorithms would be wrong.
  const lacksNvlink = world.localRanks.some((rank) => {
    const { capabilities, nvlink } = world.comm(rank);
    return capabilities.backend === 'cuda' && !nvlink;
  });
  const measured: SizedMeasurement[] = [];
  for (const collective of collectives) {
    const able = new Set(
      algorithmsOf[collective].filter((name) => {
        const { spansDomains, needsNvlink = false } = algorithmFacts[name];
        return spansDomains === several && !(needsNvlink && lacksNvlink);
      }),
    );
    const done = new Set<number>();
    for (const size of sizes) {
      const count = tuneCount(collective, size, elementBytes, world.nRanks);
      // After rounding, two sizes may be equal.
      if (count === 0 || done.has(count)) continue;
      done.add(count);
      const times = await measureSize(bed, collective, size, count, able);
      const bytes = count * elementBytes;
      measured.push(...[...times].map(([algorithm, each]) => ({ collective, algorithm, size, bytes, times: each })));
    }
  }
  return measured;
}

/** The constants of all measurements in a run. */
interface Bed {
  readonly world: World;
  readonly options: MeasureOptions;
  readonly listener: MeasureListener;
  readonly calls: (count: number, algorithm: Algorithm) => readonly TuneCall[];
}

/** An algorithm that is being measured. */
interface MeasuredAlgorithm {
  readonly times: number[];
  readonly start: () => Promise<void>;
  readonly graph: Graph | undefined;
}

/**
 * Returns the times of each algorithm. An algorithm that does not support the call is removed from
 * `able`.
 */
async function measureSize(
  bed: Bed,
  collective: CollectiveName,
  size: number,
  count: number,
  able: Set<Algorithm>,
): Promise<ReadonlyMap<Algorithm, readonly number[]>> {
  const { listener, options } = bed;
  const { rounds, warmups } = options;
  const contenders = new Map<Algorithm, MeasuredAlgorithm>();
  try {
    for (const algorithm of able) {
      listener.doing(`${collective} by ${algorithm}, ${size} bytes`);
      const start = async (): Promise<void> => {
        await Promise.all(bed.calls(count, algorithm).map(async (call) => tuneCall(collective, call)));
      };
      const why = await refusal(bed.world, start);
      if (why === undefined) contenders.set(algorithm, { times: [], start, graph: await graphOf(bed, start) });
      else {
        able.delete(algorithm);
        listener.refused(collective, algorithm, why);
      }
    }
    const turns = [...contenders.values()];
    const warmUpTurn = async (contender: MeasuredAlgorithm): Promise<number> => {
      listener.doing(`${collective}, ${size} bytes, warming up`);
      return timeOfCall(bed, contender);
    };
    await warmUp(turns, warmUpTurn, { least: warmups });
    for (let round = 0; round < rounds; round++) {
      listener.doing(`${collective}, ${size} bytes, round ${round + 1} of ${rounds}`);
      const first = round % turns.length;
      for (const contender of [...turns.slice(first), ...turns.slice(0, first)]) {
        contender.times.push(await timeOfCall(bed, contender));
      }
    }
  } finally {
    for (const { graph } of contenders.values()) await graph?.close();
  }
  return new Map([...contenders].map(([algorithm, { times }]) => [algorithm, times]));
}

/** Makes the calls of all ranks, on windows that have room for `bytes`. */
async function callsOn(
  world: World,
  bytes: number,
  element: ScalarKind,
): Promise<(count: number, algorithm: Algorithm) => readonly TuneCall[]> {
  const ranks = await world.run(async (comm) => {
    const send = await comm.allocWindow('u8', bytes);
    const recv = await comm.allocWindow('u8', bytes);
    return { comm, send: send.symPtr(0, element), recv: recv.symPtr(0, element) };
  });
  return (count, algorithm) => ranks.map((rank) => ({ ...rank, count, options: { algorithm } }));
}

/** The error codes of an algorithm that does not support a call, here or at all. */
export const refusals: ReadonlySet<string> = new Set(['NCCL_INVALID_USAGE', 'NCCLTS_NOT_SUPPORTED', 'NCCLTS_COMPILE']);

/** Makes one call, which also compiles the kernel. Returns the reason if the call is refused. */
async function refusal(world: World, start: () => Promise<void>): Promise<string | undefined> {
  try {
    await start();
    await synchronizeAll(world);
    return undefined;
  } catch (error) {
    // The first line of a compile error names the kernel and the backend that refuses it.
    if (isNcclError(error) && refusals.has(error.code)) return error.message.split('\n')[0] ?? '';
    throw error;
  }
}

/** Records all calls of a measurement in a graph, if that is requested. */
async function graphOf({ world, options }: Bed, start: () => Promise<void>): Promise<Graph | undefined> {
  if (options.graphLaunches === 0) return undefined;
  const [first] = world.localRanks;
  return world.capture(async ({ rank }) => {
    // The calls are made for all ranks together.
    if (rank === first) await startAll(options.iters, start);
  });
}

/** Makes one measurement. Returns the microseconds of a call. */
async function timeOfCall({ world, options }: Bed, { start, graph }: MeasuredAlgorithm): Promise<number> {
  const { iters, graphLaunches } = options;
  const began = performance.now();
  if (graph === undefined) await startAll(iters, start);
  else for (let i = 0; i < graphLaunches; i++) await graph.launch();
  await synchronizeAll(world);
  return ((performance.now() - began) * 1e3) / (iters * Math.max(1, graphLaunches));
}

async function startAll(calls: number, start: () => Promise<void>): Promise<void> {
  for (let i = 0; i < calls; i++) await start();
}

async function synchronizeAll(world: World): Promise<void> {
  await Promise.all(world.localRanks.map(async (rank) => world.comm(rank).synchronize()));
}
