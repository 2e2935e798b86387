import { validate } from '@nccl-ts/ir';
import { kernel, u32 } from '@nccl-ts/kernel';
import type { GraphHandle, StreamHandle } from '@nccl-ts/transport';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { CudaWorld } from '@nccl-ts/backend-cuda';
import { createFakeGpu, noFakeGpu, unlessFakeGpu, type FakeGpu } from './support/fake-gpu.ts';

const options = { onStall: () => undefined };
const shape = { grid: { x: 2, y: 1, z: 1 }, block: { x: 64, y: 1, z: 1 } };
const counts = kernel({ name: 'counts', params: { count: u32 } }, (_tools, { count }) => void count);

/** A world with one stream for each rank. */
interface Setup extends AsyncDisposable {
  readonly world: CudaWorld;
  readonly streams: readonly StreamHandle[];
  launch(stream: StreamHandle): void;
  /** Launches once on every stream. */
  round(): void;
  /** Records one launch on each of the streams. The graph starts on the first one. */
  record(streams: readonly StreamHandle[]): GraphHandle;
}

describe.skipIf(noFakeGpu !== undefined)(`the order of work on several GPUs${unlessFakeGpu}`, () => {
  let gpu: FakeGpu;
  beforeAll(() => {
    gpu = createFakeGpu();
  });
  afterAll(() => gpu.dispose());

  async function setUp(ranks = 2): Promise<Setup> {
    gpu.configure(ranks, 0);
    const backend = gpu.backend();
    const world = await backend.open(options);
    const module = validate(counts.compile(), backend.capabilities);
    if (!module.ok) throw new Error(module.diagnostics.map(({ message }) => message).join('\n'));
    const executable = await world.compile(module.module);
    const streams = await Promise.all(world.localRanks.map(async (rank) => world.createStream(rank)));
    const launch: Setup['launch'] = (stream) =>
      world.launch(executable, { ...shape, stream }, [{ kind: 'scalar', value: 1 }]);
    return {
      world,
      streams,
      launch,
      round: () => streams.forEach(launch),
      record: (of) => {
        world.beginCapture(of);
        of.forEach(launch);
        return world.endCapture(of);
      },
      [Symbol.asyncDispose]: async () => world[Symbol.asyncDispose](),
    };
  }

  /** Returns the kinds of work that streams have received since the last call. */
  const kinds = (): string =>
    gpu
      .journal()
      .map((line) => line.split(' ')[0])
      .join(' ');

  it('has each launch at once, without a wait for other ranks', async () => {
    await using setup = await setUp();
    const [first] = setup.streams;
    if (first === undefined) throw new RangeError('There is no rank.');
    gpu.journal();
    setup.launch(first);
    expect(kinds()).toBe('launch');
    for (let i = 0; i < 3; i++) setup.round();
    expect(kinds()).toBe('launch launch launch launch launch launch');
    expect(await setup.world.synchronize(first)).toEqual({ launches: 4, printed: [] });
  });

  it('has a graph after earlier work and before later work of every rank', async () => {
    await using setup = await setUp();
    const { world } = setup;
    const graph = setup.record(setup.streams);
    setup.round();
    gpu.journal();
    world.launchGraph(graph);
    // It waits for the launch on the other rank.
    expect(kinds()).toBe('record wait graph');
    world.launchGraph(graph);
    world.launchGraph(graph);
    setup.round();
    const lines = gpu.journal().map((line) => line.split(' '));
    expect(lines.map(([kind]) => kind)).toEqual(['graph', 'graph', 'record', 'launch', 'wait', 'launch']);
    const [, , record, launch, wait, last] = lines;
    // The end is recorded on the graph's stream before other work is enqueued there.
    expect(record?.[1]).toBe(launch?.[1]);
    expect(wait?.[2]).toBe(record?.[2]);
    expect(wait?.[1]).toBe(last?.[1]);
    for (const stream of setup.streams) await world.synchronize(stream);
    await world.destroyGraph(graph);
  });

  it('has graphs that wait for each other, whichever stream each starts on', async () => {
    await using setup = await setUp(3);
    const { world } = setup;
    const [first, second, shared] = setup.streams;
    if (first === undefined || second === undefined || shared === undefined) throw new RangeError('There are three.');
    const graphs = [first, second].map((origin) => setup.record([origin, shared]));
    gpu.journal();
    for (const graph of graphs) world.launchGraph(graph);
    // The shared stream follows the first graph's end, and the second graph follows that stream.
    expect(kinds()).toBe('graph record wait record wait graph');
    for (const stream of setup.streams) await world.synchronize(stream);
    for (const graph of graphs) await world.destroyGraph(graph);
  });

  it('has a graph before the work that a program then enqueues on the handle of a stream', async () => {
    await using setup = await setUp();
    const { world, streams } = setup;
    const graph = setup.record(streams);
    world.launchGraph(graph);
    const [, second] = streams;
    if (second === undefined) throw new RangeError('There is one rank.');
    gpu.journal();
    const handle = world.nativeStream(second).toString(16);
    const [record, wait] = gpu.journal().map((line) => line.split(' '));
    expect(record?.[0]).toBe('record');
    expect(wait).toEqual(['wait', handle, record?.[2]]);
    for (const stream of streams) await world.synchronize(stream);
    await world.destroyGraph(graph);
  });

  it('has each graph at once after and before the work on handles that a program already has', async () => {
    await using setup = await setUp();
    const { world, streams } = setup;
    const graph = setup.record(streams);
    const handles = streams.map((stream) => world.nativeStream(stream).toString(16));
    gpu.journal();
    for (let i = 0; i < 2; i++) {
      world.launchGraph(graph);
      const lines = gpu.journal().map((line) => line.split(' '));
      const [first, second] = handles;
      // Nothing here knows the work on the handles, so the graph waits for both streams.
      expect(lines.map(([kind, stream]) => [kind, stream])).toEqual([
        ['record', second],
        ['wait', first],
        ['graph', first],
        ['record', first],
        ['wait', second],
      ]);
    }
    for (const stream of streams) await world.synchronize(stream);
    await world.destroyGraph(graph);
  });

  it('has the end of a graph before the work on the handle of its first stream', async () => {
    await using setup = await setUp();
    const { world, streams } = setup;
    const graph = setup.record(streams);
    const [first] = streams;
    if (first === undefined) throw new RangeError('There is no rank.');
    world.nativeStream(first);
    gpu.journal();
    world.launchGraph(graph);
    // Recorded later, the end would make the other rank wait for that work too.
    expect(kinds()).toBe('graph record');
    for (const stream of streams) await world.synchronize(stream);
    await world.destroyGraph(graph);
  });
});
