import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { cuda, probe, type CudaWorld } from '@nccl-ts/backend-cuda';
import { World } from '@nccl-ts/communicator';
import { planDevComm } from '@nccl-ts/devcomm';
import { validate, type ValidatedModule } from '@nccl-ts/ir';
import { f32, kernel, type Kernel } from '@nccl-ts/kernel';
import type { DeviceBuffer, Executable, GraphHandle, KernelArg, StreamHandle } from '@nccl-ts/transport';
import { allReduceKernel } from '../kernels/all-reduce-kernel.ts';
import { handWrittenAllReduce } from './hand-written-all-reduce.ts';
import { finish, phase, report } from './phases.ts';

/*
 * What the CUDA backend costs on the GPUs of this machine: bash .gpu/run.sh bench [part ...]
 * Parts: start (cold and warm), graph (AllReduce against the same kernel in CUDA C++), host (cost of launches), leaks.
 * Without parts all of them. --ctas N --block N choose the shape of the AllReduce. Lines of JSON; all in $OUT/bench.json.
 */

const parts = ['start', 'graph', 'host', 'leaks'] as const;
type Part = (typeof parts)[number];

const sizes = [1 << 10, 64 << 10, 1 << 20, 16 << 20];
const opsPerGraph = 20;
const replays = 20;
const rounds = 9;
const found: unknown[] = [];

function number(name: string, otherwise: number): number {
  const at = process.argv.indexOf(name);
  return at === -1 ? otherwise : Number(process.argv[at + 1]);
}

const ctas = number('--ctas', 16);
const block = number('--block', 512);
const config = { grid: { x: ctas, y: 1, z: 1 }, block: { x: block, y: 1, z: 1 } };

const emptyKernel = kernel({ name: 'empty', params: {} }, () => undefined);

function note(finding: Readonly<Record<string, unknown>>): void {
  found.push(finding);
  report(finding);
}

function moduleOf(of: Kernel): ValidatedModule {
  const result = validate(of.compile(), cuda().capabilities);
  if (!result.ok) throw new Error(result.diagnostics.map(({ message }) => message).join('; '));
  return result.module;
}

function medianOf(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)] ?? Number.NaN;
}

const round = (value: number): number => Math.round(value * 1000) / 1000;

interface Setup {
  readonly world: CudaWorld;
  readonly streams: readonly StreamHandle[];
  readonly buffers: readonly DeviceBuffer[];
  readonly args: (bytes: number) => readonly KernelArg[];
  readonly fill: () => Promise<void>;
  readonly read: (rank: number, bytes: number) => Promise<Float32Array>;
}

async function setUp(bytes: number): Promise<Setup> {
  const world = await cuda().open({ onStall: () => undefined });
  const ranks = world.localRanks;
  const buffers = await Promise.all(ranks.map(async (rank) => world.alloc(rank, bytes)));
  const window = await world.registerWindow(
    buffers.map((buffer) => ({ buffer, offset: 0 })),
    bytes,
    1,
  );
  const support = { symmetric: true, multimem: false, gin: 'none' } as const;
  const devComm = await world.createDevComm(planDevComm({ lsaBarrierCount: ctas }, world.topology, support));
  const streams = await Promise.all(ranks.map(async (rank) => world.createStream(rank)));
  const values = ranks.map((rank) =>
    Float32Array.from({ length: bytes / 4 }, (_, i) => ((i * 7 + rank * 13) % 31) / 32),
  );
  return {
    world,
    streams,
    buffers,
    args: (size) => [
      { kind: 'devComm', devComm },
      { kind: 'window', window },
      { kind: 'scalar', value: 0n },
      { kind: 'scalar', value: size / 4 },
    ],
    fill: async () => {
      await Promise.all(buffers.map(async (buffer, i) => world.write(buffer, values[i] ?? new Float32Array(), 0)));
    },
    read: async (rank, size) => {
      const into = new Float32Array(size / 4);
      const buffer = buffers[rank];
      if (buffer !== undefined) await world.read(buffer, into, 0);
      return into;
    },
  };
}

/** A graph of so many AllReduces on all ranks: of a kernel, or NCCL's own. */
function record(setup: Setup, executable: Executable | 'nccl', bytes: number, ops: number): GraphHandle {
  const { world, streams, args, buffers } = setup;
  world.beginCapture(streams);
  for (let op = 0; op < ops; op++) {
    if (executable === 'nccl') world.ncclAllReduce(buffers, bytes / 4, streams);
    else for (const stream of streams) world.launch(executable, { ...config, stream }, args(bytes));
  }
  return world.endCapture(streams);
}

async function synchronizeAll({ world, streams }: Setup): Promise<void> {
  await Promise.all(streams.map(async (stream) => world.synchronize(stream)));
}

/** Microseconds an operation takes inside graphs that follow one another, by events on the GPU of rank 0. */
async function timeReplays(setup: Setup, graph: GraphHandle): Promise<number> {
  const { world, streams } = setup;
  const [stream] = streams;
  if (stream === undefined) throw new Error('there are no GPUs');
  const [start, end] = [world.createEvent(0), world.createEvent(0)];
  world.launchGraph(graph);
  world.recordEvent(start, stream);
  for (let i = 0; i < replays; i++) world.launchGraph(graph);
  world.recordEvent(end, stream);
  await synchronizeAll(setup);
  const us = (1000 * world.elapsedMilliseconds(start, end)) / (replays * opsPerGraph);
  world.destroyEvent(start);
  world.destroyEvent(end);
  return us;
}

async function graphPart(): Promise<void> {
  const setup = await setUp(Math.max(...sizes));
  const { world } = setup;
  try {
    const module = moduleOf(allReduceKernel);
    const contenders = [
      { name: 'emitted', executable: await world.compile(module) },
      { name: 'hand-written', executable: await world.compileSource(handWrittenAllReduce, module) },
    ];
    for (const bytes of sizes) {
      const results: Record<string, number[]> = {};
      const sums: Float32Array[] = [];
      for (const { executable } of contenders) {
        await setup.fill();
        for (const stream of setup.streams) world.launch(executable, { ...config, stream }, setup.args(bytes));
        await synchronizeAll(setup);
        sums.push(await setup.read(world.localRanks.length - 1, bytes));
      }
      const same = sums[0]?.every((value, i) => Object.is(value, sums[1]?.[i]));
      const graphs = contenders.map(({ name, executable }) => ({
        name,
        graph: record(setup, executable, bytes, opsPerGraph),
      }));
      try {
        graphs.push({ name: 'nccl', graph: record(setup, 'nccl', bytes, opsPerGraph) });
      } catch (error) {
        note({ part: 'graph', nccl: String(error) });
      }
      for (let i = -2; i < rounds; i++) {
        const turn = i % 2 === 0 ? graphs : graphs.toReversed();
        for (const { name, graph } of turn) {
          await setup.fill();
          const us = await timeReplays(setup, graph);
          if (i >= 0) (results[name] ??= []).push(us);
        }
      }
      for (const { graph } of graphs) await world.destroyGraph(graph);
      const [emitted, hand] = [medianOf(results['emitted'] ?? []), medianOf(results['hand-written'] ?? [])];
      note({
        part: 'graph',
        ranks: world.localRanks.length,
        bytes,
        ctas,
        block,
        emittedUs: round(emitted),
        handWrittenUs: round(hand),
        ncclAllReduceUs: round(medianOf(results['nccl'] ?? [])),
        ratio: round(emitted / hand),
        sameBytes: same,
        all: Object.fromEntries(Object.entries(results).map(([name, us]) => [name, us.map(round)])),
      });
    }
  } finally {
    await world[Symbol.asyncDispose]();
  }
}

const launches = 1000;

async function hostPart(): Promise<void> {
  const setup = await setUp(1 << 20);
  const { world, streams, args } = setup;
  try {
    const empty = await world.compile(moduleOf(emptyKernel));
    const reduce = await world.compile(moduleOf(allReduceKernel));
    const cost = async (name: string, launch: (i: number) => void, count = launches): Promise<void> => {
      const took: number[] = [];
      for (let i = 0; i < 7; i++) {
        const started = performance.now();
        for (let j = 0; j < count; j++) launch(j);
        took.push((1000 * (performance.now() - started)) / count);
        await synchronizeAll(setup);
      }
      note({
        part: 'host',
        name,
        ranks: streams.length,
        launches: count,
        medianUs: round(medianOf(took.slice(2))),
        all: took.map(round),
      });
    };
    const one = { x: 1, y: 1, z: 1 };
    const streamAt = (i: number): StreamHandle => {
      const stream = streams[i % streams.length];
      if (stream === undefined) throw new Error('there are no GPUs');
      return stream;
    };
    await cost('empty kernel, rank after rank', (i) =>
      world.launch(empty, { grid: one, block: one, stream: streamAt(i) }, []),
    );
    await cost('empty kernel, one rank', () => world.launch(empty, { grid: one, block: one, stream: streamAt(0) }, []));
    const small = args(1024);
    const rotated = launches - (launches % streams.length);
    await cost(
      'AllReduce of 1 KiB, rank after rank',
      (i) => world.launch(reduce, { ...config, stream: streamAt(i) }, small),
      rotated,
    );
    const graph = record(setup, reduce, 1024, 1);
    await cost('graph of one AllReduce on all ranks', () => world.launchGraph(graph), 200);
    await world.destroyGraph(graph);
  } finally {
    await world[Symbol.asyncDispose]();
  }
  await using high = await World.open({ backend: cuda() });
  const took: number[] = [];
  await high.run(async (comm) => comm.launch(emptyKernel, { grid: 1, block: 1 }, {}));
  for (let i = 0; i < 7; i++) {
    const perRank = Math.floor(launches / high.nRanks);
    const started = performance.now();
    for (let j = 0; j < perRank; j++) {
      for (const rank of high.localRanks) await high.comm(rank).launch(emptyKernel, { grid: 1, block: 1 }, {});
    }
    took.push((1000 * (performance.now() - started)) / (perRank * high.nRanks));
    await Promise.all(high.localRanks.map(async (rank) => high.comm(rank).synchronize()));
  }
  note({
    part: 'host',
    name: 'empty kernel through Communicator.launch',
    medianUs: round(medianOf(took.slice(2))),
    all: took.map(round),
  });
}

/** In a process of its own: from World.open to the end of a first launch on every rank. */
async function startWorker(cacheDirectory: string): Promise<never> {
  const started = performance.now();
  let openTimes: unknown;
  const backend = cuda({ cacheDirectory });
  const kept = {
    ...backend,
    open: async (options: Parameters<typeof backend.open>[0]) => {
      const world = await backend.open(options);
      openTimes = world.openTimes;
      return world;
    },
  };
  await using world = await World.open({ backend: kept });
  const opened = performance.now();
  await world.run(async (comm) => {
    const win = await comm.allocWindow(f32, 1024);
    const devComm = await comm.createDevComm({ lsaBarrierCount: ctas });
    await comm.launch(allReduceKernel, { grid: ctas, block }, { comm: devComm, win, offset: 0, count: 1024 });
    await comm.synchronize();
  });
  const ended = performance.now();
  process.stdout.write(
    `${JSON.stringify({ openMs: round(opened - started), firstMs: round(ended - opened), allMs: round(ended - started), openTimes })}\n`,
  );
  process.exit(0);
}

function parsed(line: string): Readonly<Record<string, unknown>> {
  const value: unknown = JSON.parse(line);
  return typeof value === 'object' && value !== null ? { ...value } : { value };
}

async function startPart(): Promise<void> {
  const cache = mkdtempSync(join(tmpdir(), 'nccl-ts-bench-'));
  try {
    for (const name of ['cold', 'warm', 'warm again']) {
      const script = process.argv[1] ?? '';
      const { stdout, stderr, status } = spawnSync(process.execPath, [script, '--start-worker', cache], {
        encoding: 'utf8',
      });
      const line = stdout.trim().split('\n').at(-1) ?? '';
      if (status === 0) {
        const times: Readonly<Record<string, unknown>> = parsed(line);
        note({ part: 'start', name, ...times });
      } else note({ part: 'start', name, status, stdout: stdout.slice(-2000), stderr: stderr.slice(-2000) });
    }
  } finally {
    rmSync(cache, { recursive: true, force: true });
  }
}

async function leaksPart(): Promise<void> {
  const free: number[] = [];
  const rss: number[] = [];
  const started = performance.now();
  const devices = [0, 1].slice(0, (await probe()).gpus.length);
  for (let i = 0; i <= 50; i++) {
    const world = await cuda({ devices }).open({ onStall: () => undefined });
    // At the beginning of a world: what the worlds before it have left behind is missing.
    free.push(world.deviceMemory(0).free);
    rss.push(process.memoryUsage().rss);
    const buffers = await Promise.all(world.localRanks.map(async (rank) => world.alloc(rank, 64 << 20)));
    await world.registerWindow(
      buffers.map((buffer) => ({ buffer, offset: 0 })),
      64 << 20,
      1,
    );
    const support = { symmetric: true, multimem: false, gin: 'none' } as const;
    await world.createDevComm(planDevComm({ lsaBarrierCount: ctas }, world.topology, support));
    const executable = await world.compile(moduleOf(emptyKernel));
    const one = { x: 1, y: 1, z: 1 };
    for (const rank of world.localRanks) {
      const stream = await world.createStream(rank);
      world.launch(executable, { grid: one, block: one, stream }, []);
      await world.synchronize(stream);
    }
    await world[Symbol.asyncDispose]();
  }
  const mib = (bytes: number): number => Math.round((bytes / (1 << 20)) * 10) / 10;
  note({
    part: 'leaks',
    worlds: free.length,
    ms: Math.round(performance.now() - started),
    freeMib: { first: mib(free[0] ?? 0), second: mib(free[1] ?? 0), last: mib(free.at(-1) ?? 0) },
    lostMibSinceSecond: mib((free[1] ?? 0) - (free.at(-1) ?? 0)),
    rssMib: { first: mib(rss[0] ?? 0), tenth: mib(rss[10] ?? 0), last: mib(rss.at(-1) ?? 0) },
  });
}

const startAt = process.argv.indexOf('--start-worker');
if (startAt !== -1) await startWorker(process.argv[startAt + 1] ?? '');

const actions: Readonly<Record<Part, () => Promise<void>>> = {
  start: startPart,
  graph: graphPart,
  host: hostPart,
  leaks: leaksPart,
};
note({ probe: await probe() });
const asked = parts.filter((part) => process.argv.includes(part));
for (const part of asked.length === 0 ? parts : asked) await phase(part, actions[part]);
writeFileSync(join(process.env['OUT'] ?? '.', 'bench.json'), JSON.stringify(found, undefined, 1));
finish();
