import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { medianOf } from '@nccl-ts/core';
import { cuda, probe } from '@nccl-ts/backend-cuda';
import { World } from '@nccl-ts/communicator';
import { planDevComm } from '@nccl-ts/devcomm';
import { f32 } from '@nccl-ts/kernel';
import type { GraphHandle } from '@nccl-ts/transport';
import { allReduceKernel } from '../kernels/all-reduce-kernel.ts';
import { provenance } from '../provenance.ts';
import {
  block,
  config,
  ctas,
  emptyKernel,
  found,
  moduleOf,
  note,
  one,
  record,
  round,
  setUp,
  synchronizeAll,
  type Setup,
} from './bench-setup.ts';
import { callsPart } from './calls-part.ts';
import { handWrittenAllReduce } from './hand-written-all-reduce.ts';
import { hostPart } from './host-part.ts';
import { finish, phase } from './phases.ts';

/*
 * Measures the costs of the CUDA backend on the GPUs of this machine:
 *
 *     bash .gpu/run.sh bench [part ...]
 *
 * Parts: start (cold and warm), graph (AllReduce against the same kernel in CUDA C++), host (cost
 * of launches), calls (AllReduce outside graphs, beside NCCL), leaks. Without parts all of them.
 * --ctas N --block N choose the shape of the AllReduce. Lines of JSON; all in $OUT/bench.json.
 */

const parts = ['start', 'graph', 'host', 'calls', 'leaks'] as const;
type BenchPart = (typeof parts)[number];

const sizes = [1 << 10, 64 << 10, 1 << 20, 16 << 20];
const opsPerGraph = 20;
const replays = 20;
const rounds = 9;

/** The microseconds of an operation inside successive graphs, by events on the GPU of rank 0. */
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

/** The time from World.open to the end of a first launch on every rank, in a separate process. */
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
    // When a world begins, no resources of earlier worlds remain.
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

const actions: Readonly<Record<BenchPart, () => Promise<void>>> = {
  start: startPart,
  graph: graphPart,
  host: hostPart,
  calls: callsPart,
  leaks: leaksPart,
};
const machine = await probe();
note({ probe: machine });
const requested = parts.filter((part) => process.argv.includes(part));
for (const part of requested.length === 0 ? parts : requested) await phase(part, actions[part]);
writeFileSync(
  join(process.env['OUT'] ?? '.', 'bench.json'),
  JSON.stringify({ ...provenance(), machine, findings: found.slice(1) }, undefined, 1),
);
finish();
