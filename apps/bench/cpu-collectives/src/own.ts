import { smallKernel } from '#bench/kernels/small-kernel';
import { sim } from '@nccl-ts/backend-sim';
import { allGather, allReduce, allToAll, reduceScatter } from '@nccl-ts/collectives';
import { World, type Communicator, type Graph, type Window } from '@nccl-ts/communicator';
import { medianOf, RedOp } from '@nccl-ts/core';
import { compileWork, Team, TeamJob } from '@nccl-ts/cpu-collectives';
import { devComm } from '@nccl-ts/devcomm';
import { kernel, u32 } from '@nccl-ts/kernel';
import { lsa } from '@nccl-ts/lsa';
import type { MeasuredCollective } from './cell.ts';
import { CorePair, onCores } from './cores.ts';
import { plainJs } from './plain-js.ts';
import type { CollectiveTiming } from './own-case.ts';

/**
 * The microseconds of one call, with a number for each round. A round is about 20 ms of calls, with
 * thousands in one launch. A call is a barrier, the work, and a barrier. Buffers are allocated and
 * written before, and the cost of the first call does not count.
 */
export type TimeCollective = (of: CollectiveTiming) => Promise<readonly number[]>;

/**
 * Our side of the comparison. Objects created for a case are kept for the next rounds. `allToAll`
 * works out of place only.
 */
export interface NcclTsImplementation extends Readonly<Record<MeasuredCollective, TimeCollective>> {
  /** The name in the report. */
  readonly name: string;
  /** Nanoseconds of a barrier of two workers that both spin. */
  readonly barrier: (of: { readonly threads: 2 }) => Promise<number>;
  /** Microseconds of a barrier between this many ranks, on two cores. */
  readonly barrierOfRanks: (ranks: 8) => Promise<number>;
  /**
   * Microseconds from a launch onto workers that have been parked for half a millisecond to its
   * end; the median of 40.
   */
  readonly launchParked: () => Promise<number>;
  /** Microseconds from a launch onto spinning workers to its end; the median of many. */
  readonly launchHot: () => Promise<number>;
  /** Microseconds of each of 1000 launches of a small kernel, on one thread. */
  readonly launchOverhead: () => Promise<number>;
  /** The same AllReduce in plain JavaScript. */
  readonly plainJs: TimeCollective;
  /** Stops all threads of this side. No thread runs or spins until the next call. */
  readonly idle: () => Promise<void>;
  /** Ends the workers. */
  readonly close: () => Promise<void>;
}

const THREADS = 2;
const ROUND_MICROSECONDS = 20_000;
/**
 * The most calls of a graph, which stores data for each: a round with more calls launches it again.
 */
const MOST_CALLS = 4096;
/** Longer than idle threads spin. */
const PARK_MS = 3;
/**
 * How long a thread sleeps before it is woken, as with the native peer. This thread works
 * meanwhile.
 */
const PARKED_MS = 0.5;
/** Measures calls on buffers, in worlds that are kept for the next rounds. */
const KEPT_BYTES = 6 * 2 ** 30;

/**
 * The simulator's collectives, in graphs of many calls, on as many threads as the native twin. As
 * there, each thread has its own core, and this thread has the first one. Otherwise the system
 * might put two threads on one core for some time.
 */
export async function ownContender(): Promise<NcclTsImplementation> {
  const js = await onCores(plainJs);
  const kept = new CaseCache();
  const cores = new CorePair();
  const time =
    (name: MeasuredCollective): TimeCollective =>
    async (of) => {
      cores.leave();
      const { warm, round } = await kept.get(name, of);
      cores.take();
      // Other programs have used the caches, and the threads are asleep.
      await warm();
      const us: number[] = [];
      for (let i = 0; i < of.rounds; i++) us.push(await round());
      return us;
    };
  return {
    name: `simulator, engine wasm, on two threads${cores.isPinned ? ', each on a core' : ''}`,
    allReduce: time('allReduce'),
    allGather: time('allGather'),
    allToAll: time('allToAll'),
    reduceScatter: time('reduceScatter'),
    barrier: async () => teamBarrier(cores),
    barrierOfRanks,
    launchParked: async () => teamLaunch(cores, true),
    launchHot: async () => teamLaunch(cores, false),
    launchOverhead,
    plainJs: js.allReduce,
    idle: async () => {
      cores.leave();
      await js.idle();
      await pause(PARK_MS);
    },
    close: async () => {
      await kept.close();
      await js.close();
    },
  };
}

interface PreparedCase {
  /** The size of its buffers. */
  readonly bytes: number;
  /** A round whose result is ignored. It determines the length of the next rounds. */
  readonly warm: () => Promise<void>;
  /** Microseconds of one call of a round. */
  readonly round: () => Promise<number>;
  readonly close: () => Promise<void>;
}

/** The objects created for the most recent cases. A case occurs once in each turn. */
class CaseCache {
  readonly #cases = new Map<string, PreparedCase>();

  async get(name: MeasuredCollective, of: CollectiveTiming): Promise<PreparedCase> {
    const key = `${name} ${of.ranks} ${of.bytes} ${of.inPlace}`;
    const known = this.#cases.get(key);
    this.#cases.delete(key);
    if (known === undefined) await this.#makeRoom(bytesOf(of));
    const found = known ?? (await prepared(name, of));
    this.#cases.set(key, found);
    return found;
  }

  async close(): Promise<void> {
    await this.#makeRoom(Infinity);
  }

  async #makeRoom(bytes: number): Promise<void> {
    let total = [...this.#cases.values()].reduce((sum, one) => sum + one.bytes, bytes);
    for (const [key, one] of this.#cases) {
      if (total <= KEPT_BYTES) return;
      this.#cases.delete(key);
      await one.close();
      total -= one.bytes;
    }
  }
}

function bytesOf({ ranks, bytes, inPlace }: CollectiveTiming): number {
  return ranks * bytes * (inPlace ? 1 : 2);
}

async function prepared(name: MeasuredCollective, of: CollectiveTiming): Promise<PreparedCase> {
  const { ranks, bytes, inPlace } = of;
  const world = await World.open({ backend: sim({ ranks, engine: 'wasm', workers: THREADS }) });
  const buffers = await world.run(async (comm) => buffersOf(comm, name, bytes, inPlace));
  const graphOf = async (calls: number): Promise<Graph> =>
    world.capture(async (comm) => {
      const own = buffers[comm.rank];
      if (own === undefined) return;
      for (let i = 0; i < calls; i++) await callOf(comm, name, own, bytes / 4, inPlace);
    });
  let calls = 1;
  let launches = 1;
  let graph = await graphOf(calls);
  const timed = async (): Promise<number> => {
    const start = performance.now();
    for (let i = 0; i < launches; i++) await graph.launch();
    await world.run(async (comm) => comm.synchronize());
    return (performance.now() - start) * 1000;
  };
  /** Makes rounds longer if one was too short. Returns true if it did. */
  const lengthen = async (us: number): Promise<boolean> => {
    const now = calls * launches;
    const wanted = Math.min((now * ROUND_MICROSECONDS) / us, now * 8);
    if (wanted <= now * 1.3) return false;
    launches = Math.ceil(wanted / MOST_CALLS);
    const each = Math.round(wanted / launches);
    if (each === calls) return true;
    await graph.close();
    calls = each;
    graph = await graphOf(calls);
    return true;
  };
  // The engine optimises code and starts threads while it runs, so the number of calls per round is
  // known only then.
  for (let warm = 0; warm < 30; warm++) if (!(await lengthen(await timed())) && warm > 4) break;
  return {
    bytes: bytesOf(of),
    warm: async () => void (await lengthen(await timed())),
    round: async () => (await timed()) / (calls * launches),
    close: async () => world.close(),
  };
}

interface SendRecvBuffers {
  readonly send: Window<'f32'>;
  readonly recv: Window<'f32'>;
}

async function buffersOf(
  comm: Communicator,
  name: MeasuredCollective,
  bytes: number,
  inPlace: boolean,
): Promise<SendRecvBuffers> {
  const count = bytes / 4;
  const sent = name === 'allGather' && !inPlace ? count / comm.nRanks : count;
  const received = name === 'reduceScatter' && !inPlace ? count / comm.nRanks : count;
  const send = await written(comm, sent);
  return { send, recv: inPlace ? send : await written(comm, received) };
}

/**
 * Fills buffers with zeros, so that repeated sums do not change them and their pages are mapped.
 */
async function written(comm: Communicator, count: number): Promise<Window<'f32'>> {
  const window = await comm.allocWindow('f32', count);
  const piece = new Float32Array(Math.min(count, 1 << 20));
  for (let at = 0; at < count; at += piece.length) {
    await window.write(piece.subarray(0, Math.min(piece.length, count - at)), at * 4);
  }
  return window;
}

async function callOf(
  comm: Communicator,
  name: MeasuredCollective,
  { send, recv }: SendRecvBuffers,
  count: number,
  inPlace: boolean,
): Promise<void> {
  const part = count / comm.nRanks;
  const own = comm.rank * part * 4;
  switch (name) {
    case 'allReduce':
      return allReduce(comm, send, recv, count, RedOp.Sum);
    case 'allGather':
      return allGather(comm, inPlace ? recv.symPtr(own) : send, recv, part);
    case 'allToAll':
      return allToAll(comm, send, recv, part);
    case 'reduceScatter':
      return reduceScatter(comm, send, inPlace ? send.symPtr(own) : recv, part, RedOp.Sum);
  }
}

/**
 * A team and a job in which its threads only synchronize: after each measurement, and before each
 * except the first.
 */
async function meetingTeam(cores: CorePair): Promise<{ team: Team; job: TeamJob }> {
  cores.leave();
  const team = Team.ofBytes(1 << 16, THREADS);
  const job = new TeamJob(compileWork([], true), team.memory);
  while (!team.prepare(job)) await pause(1);
  cores.take();
  return { team, job };
}

async function teamBarrier(cores: CorePair): Promise<number> {
  const { team, job } = await meetingTeam(cores);
  const times = 50_000;
  const ns = samples(20, () => team.run(job, times)).map((ms) => (ms * 1e6) / (2 * times - 1));
  team.close();
  return medianOf(ns.slice(5));
}

async function teamLaunch(cores: CorePair, parked: boolean): Promise<number> {
  const { team, job } = await meetingTeam(cores);
  const us: number[] = [];
  for (let i = 0; i < (parked ? 50 : 2000); i++) {
    if (parked) {
      while (team.isHot);
      spin(PARKED_MS);
    }
    us.push(...samples(1, () => team.run(job)).map((ms) => ms * 1000));
  }
  team.close();
  return medianOf(us.slice(us.length / 5));
}

const barriers = kernel(
  { name: 'barriers', use: { lsa }, params: { comm: devComm, count: u32 } },
  ({ lsa, coopCta, blockIdx }, { comm, count }) => {
    const bar = lsa.barrierSession(coopCta(), comm, blockIdx.x);
    for (let i = 0; i < count; i++) bar.sync(coopCta(), 'acq_rel');
  },
);

async function barrierOfRanks(ranks: number): Promise<number> {
  const count = 500;
  await using world = await World.open({ backend: sim({ ranks, engine: 'wasm', workers: THREADS }) });
  const comms = await world.run(async (comm) => comm.createDevComm({ lsaBarrierCount: 1 }));
  const us: number[] = [];
  for (let round = 0; round < 12; round++) {
    const start = performance.now();
    await world.run(async (comm) => {
      const own = comms[comm.rank];
      if (own !== undefined) await comm.launch(barriers, { grid: 1, block: 32 }, { comm: own, count });
    });
    us.push(((performance.now() - start) * 1000) / count);
  }
  return medianOf(us.slice(3));
}

async function launchOverhead(): Promise<number> {
  const launches = 1000;
  await using world = await World.open({ backend: sim({ ranks: 1, engine: 'wasm' }) });
  const us: number[] = [];
  for (let round = 0; round < 20; round++) {
    const start = performance.now();
    await world.run(async (comm) => {
      for (let i = 0; i < launches; i++) await comm.launch(smallKernel, { grid: 1, block: 32 }, { n: 32, x: 1 });
      await comm.synchronize();
    });
    us.push(((performance.now() - start) * 1000) / launches);
  }
  return medianOf(us.slice(6));
}

function samples(count: number, run: () => void): readonly number[] {
  return Array.from({ length: count }, () => {
    const start = performance.now();
    run();
    return performance.now() - start;
  });
}

function spin(ms: number): void {
  for (const start = performance.now(); performance.now() - start < ms;);
}

/** Waits for one turn of the event loop, in which the threads get no requests. */
async function pause(ms: number): Promise<void> {
  await new Promise((resolve) => setTimeout(resolve, ms));
}
