import { window } from '@nccl-ts/devcomm';
import { validate, type ValidatedModule } from '@nccl-ts/ir';
import { kernel, u32 } from '@nccl-ts/kernel';
import type { Executable, KernelArg, StreamHandle } from '@nccl-ts/transport';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { CudaBackend, CudaWorld } from '@nccl-ts/backend-cuda';
import { createFakeGpu, noFakeGpu, unlessFakeGpu, type FakeGpu } from './support/fake-gpu.ts';

const options = { onStall: () => undefined };
const shape = { grid: { x: 2, y: 1, z: 1 }, block: { x: 64, y: 1, z: 1 } };

const meets = kernel({ name: 'meets', params: { count: u32 } }, (_tools, { count }) => void count);
const other = kernel({ name: 'other', params: { win: window } }, (_tools, { win }) => void win);

function moduleOf(of: typeof meets | typeof other, backend: CudaBackend): ValidatedModule {
  const result = validate(of.compile(), backend.capabilities);
  if (!result.ok) throw new Error(result.diagnostics.map(({ message }) => message).join('\n'));
  return result.module;
}

/** A world with its streams, and launches that all its ranks make. */
interface Setup extends AsyncDisposable {
  readonly world: CudaWorld;
  readonly streams: readonly StreamHandle[];
  readonly executable: Executable;
  launch(rank: number, count?: number, more?: Parameters<CudaWorld['launch']>[1] | object): void;
  /** Makes all ranks launch that many times. */
  rounds(times: number, count?: number): void;
  synchronize(): Promise<void>;
}

const scalar = (value: number): readonly KernelArg[] => [{ kind: 'scalar', value }];
/** Waits for the next task of the event loop. */
const laterTask = async (): Promise<void> => new Promise((resolve) => setImmediate(() => setImmediate(resolve)));

describe.skipIf(noFakeGpu !== undefined)(`launches that all ranks make${unlessFakeGpu}`, () => {
  let gpu: FakeGpu;
  beforeAll(() => {
    gpu = createFakeGpu();
  });
  afterAll(() => gpu.dispose());

  async function setUp(ranks = 2): Promise<Setup> {
    gpu.configure(ranks, 0);
    const backend = gpu.backend();
    const world = await backend.open(options);
    const executable = await world.compile(moduleOf(meets, backend));
    const streams = await Promise.all(world.localRanks.map(async (rank) => world.createStream(rank)));
    const joint = Object.freeze([...world.localRanks]);
    const launch: Setup['launch'] = (rank, count = 1, more = {}) => {
      const stream = streams[rank];
      if (stream === undefined) throw new RangeError('There is no such rank.');
      world.launch(executable, { ...shape, stream, joint, ...more }, scalar(count));
    };
    return {
      world,
      streams,
      executable,
      launch,
      rounds: (times, count) => {
        for (let i = 0; i < times; i++) for (const rank of world.localRanks) launch(rank, count);
      },
      synchronize: async () => {
        for (const stream of streams) await world.synchronize(stream);
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

  it('go to the driver one by one at first, and then as one graph', async () => {
    await using setup = await setUp();
    gpu.journal();
    setup.rounds(2);
    expect(kinds()).toBe('launch launch launch launch');
    setup.rounds(1);
    // The graph waits for the launch on the other rank.
    expect(kinds()).toBe('record wait graph');
    setup.rounds(3);
    expect(kinds()).toBe('graph graph graph');
    for (const stream of setup.streams) {
      expect(await setup.world.synchronize(stream)).toEqual({ launches: 6, printed: [] });
    }
  });

  it("have each rank's shape, context and arguments", async () => {
    await using setup = await setUp();
    setup.rounds(3, 7);
    for (const rank of [0, 1]) {
      const node = gpu.lastNode(rank);
      expect(node).toMatchObject({ grid: [2, 1, 1], block: [64, 1, 1], context: 0x100 + rank });
      expect(new DataView(node.arguments.buffer).getUint32(0, true)).toBe(7);
    }
    gpu.journal();
    setup.launch(0, 7);
    setup.launch(1, 9);
    expect(gpu.journal().map((line) => line.replace(/^(\w+) \w+/, '$1'))).toEqual([
      'params 1',
      expect.stringMatching(/^graph/),
    ]);
    const counts = [0, 1].map((rank) => new DataView(gpu.lastNode(rank).arguments.buffer).getUint32(0, true));
    expect(counts).toEqual([7, 9]);
    setup.rounds(1, 9);
    expect(kinds()).toBe('params graph');
  });

  it('are ordered after earlier work and before later work of every rank', async () => {
    await using setup = await setUp();
    const { world, streams, executable } = setup;
    setup.rounds(3);
    await setup.synchronize();
    gpu.journal();
    setup.rounds(2);
    for (const stream of streams) world.launch(executable, { ...shape, stream }, scalar(1));
    const lines = gpu.journal().map((line) => line.split(' '));
    expect(lines.map(([kind]) => kind)).toEqual(['graph', 'graph', 'record', 'launch', 'wait', 'launch']);
    const [, , record, launch, wait, last] = lines;
    // The end is recorded on the graph's stream before other work is enqueued there.
    expect(record?.[1]).toBe(launch?.[1]);
    expect(wait?.[2]).toBe(record?.[2]);
    expect(wait?.[1]).toBe(last?.[1]);
  });

  it('run separately while other work is pending', async () => {
    await using setup = await setUp();
    const { world, streams, executable } = setup;
    setup.rounds(3);
    const [, stream] = streams;
    if (stream === undefined) throw new RangeError('There is one rank.');
    world.launch(executable, { ...shape, stream }, scalar(1));
    gpu.journal();
    setup.launch(1);
    expect(kinds()).toBe('launch');
    setup.launch(0);
    expect(kinds()).toBe('launch');
    await setup.synchronize();
    gpu.journal();
    setup.rounds(1);
    expect(kinds()).toBe('graph');
  });

  it('do not wait for a rank that makes no launch', async () => {
    await using setup = await setUp();
    setup.rounds(3);
    gpu.journal();
    setup.launch(0);
    expect(kinds()).toBe('');
    await laterTask();
    expect(kinds()).toBe('record launch');
    // The other rank's launch at that position goes alone too, and so do some later ones.
    setup.launch(1);
    setup.rounds(8);
    expect(kinds()).toBe(`wait${' launch'.repeat(17)}`);
    setup.rounds(1);
    expect(kinds()).toBe('record wait graph');
  });

  it('are never paired with a later launch of another rank', async () => {
    await using setup = await setUp();
    setup.rounds(3);
    gpu.journal();
    setup.launch(0);
    setup.launch(0);
    setup.launch(1);
    setup.launch(1);
    expect(kinds()).toBe('record launch launch wait launch launch');
  });

  it('run if a program waits for them', async () => {
    await using setup = await setUp();
    setup.rounds(3);
    const [stream] = setup.streams;
    if (stream === undefined) throw new RangeError('There is no rank.');
    gpu.journal();
    setup.launch(0);
    expect(await setup.world.synchronize(stream)).toEqual({ launches: 4, printed: [] });
    expect(kinds()).toContain('launch');
  });

  it('leave captures and graphs as they are', async () => {
    await using setup = await setUp();
    const { world, streams } = setup;
    setup.rounds(3);
    await setup.synchronize();
    world.beginCapture?.(streams);
    setup.rounds(2);
    const graph = world.endCapture?.(streams);
    expect(graph).toMatchObject({ ranks: [0, 1], launches: 4 });
    if (graph === undefined) return;
    gpu.journal();
    world.launchGraph?.(graph);
    world.launchGraph?.(graph);
    expect(kinds()).toBe('graph graph');
    // Work that is not joint may be waiting for one of the ranks.
    setup.rounds(1);
    expect(kinds()).toBe('record launch wait launch');
    await setup.synchronize();
    await world.destroyGraph?.(graph);
    gpu.journal();
    setup.rounds(1);
    expect(kinds()).toBe('graph');
  });

  it('are in graphs that wait for each other, whichever stream each starts on', async () => {
    await using setup = await setUp(3);
    const { world, streams } = setup;
    const [first, second, shared] = streams;
    if (first === undefined || second === undefined || shared === undefined) throw new RangeError('There are three.');
    const graphs = [first, second].map((origin) => {
      world.beginCapture?.([origin, shared]);
      setup.launch(origin.rank);
      setup.launch(shared.rank);
      return world.endCapture?.([origin, shared]);
    });
    gpu.journal();
    for (const graph of graphs) if (graph !== undefined) world.launchGraph?.(graph);
    // The shared stream follows the first graph's end, and the second graph follows that stream.
    expect(kinds()).toBe('graph record wait record wait graph');
    await setup.synchronize();
    for (const graph of graphs) if (graph !== undefined) await world.destroyGraph?.(graph);
  });

  it('are no longer merged once only some ranks have recorded one', async () => {
    await using setup = await setUp();
    const { world, streams } = setup;
    setup.rounds(3);
    await setup.synchronize();
    world.beginCapture?.(streams.slice(0, 1));
    setup.launch(0);
    const graph = world.endCapture?.(streams.slice(0, 1));
    gpu.journal();
    setup.rounds(30);
    expect(kinds()).not.toContain('graph');
    await setup.synchronize();
    if (graph !== undefined) await world.destroyGraph?.(graph);
  });

  it('run separately if they have a signal or attributes, or a stream whose handle the program has', async () => {
    await using setup = await setUp();
    const more = { attributes: { memSyncDomain: 'remote' } };
    setup.rounds(3);
    await setup.synchronize();
    gpu.journal();
    for (const rank of [0, 1]) setup.launch(rank, 1, { signal: new AbortController().signal });
    for (const rank of [0, 1]) setup.launch(rank, 1, more);
    expect(kinds()).toBe('launch launch launch launch');
    const [stream] = setup.streams;
    if (stream === undefined) throw new RangeError('There is no rank.');
    await setup.synchronize();
    setup.world.nativeStream(stream);
    gpu.journal();
    setup.rounds(4);
    expect(kinds()).toBe('launch launch launch launch launch launch launch launch');
  });

  it('run separately if the driver rejects the graph', async () => {
    await using setup = await setUp();
    setup.rounds(2);
    const before = gpu.live();
    gpu.failGraphs(1);
    gpu.journal();
    setup.rounds(4);
    expect(kinds()).toBe('launch launch launch launch launch launch launch launch');
    // Two events are kept for the next shape on these streams.
    expect(gpu.live().cuda - before.cuda).toBe(2);
    await setup.synchronize();
  });

  it("report the driver's error to every rank", async () => {
    await using setup = await setUp();
    const { world, streams } = setup;
    setup.rounds(3);
    await setup.synchronize();
    gpu.failGraphs(0);
    setup.launch(0);
    expect(() => setup.launch(1)).toThrow(/Launch of kernel 'meets' on rank 1 \(GPU 1\): cuGraphLaunch failed/);
    const [first, second] = streams;
    if (first === undefined || second === undefined) throw new RangeError('There are two ranks.');
    await expect(world.synchronize(first)).rejects.toMatchObject({
      code: 'NCCL_UNHANDLED_CUDA_ERROR',
      message: expect.stringContaining("Launch of kernel 'meets' on rank 0"),
    });
    expect(await world.synchronize(second)).toEqual({ launches: 0, printed: [] });
    gpu.journal();
    setup.rounds(1);
    expect(kinds()).toBe('graph');
    await setup.synchronize();
  });

  it('never run once the world is aborted', async () => {
    await using setup = await setUp();
    const { world, streams } = setup;
    setup.rounds(3);
    await setup.synchronize();
    gpu.journal();
    setup.launch(0);
    world.abort?.(new Error('enough'));
    const [first] = streams;
    if (first === undefined) throw new RangeError('There is no rank.');
    await expect(world.synchronize(first)).rejects.toMatchObject({ code: 'NCCLTS_ABORTED' });
    expect(kinds()).toBe('');
  });

  it('are remembered for a limited number of shapes, and freed with their streams and the world', async () => {
    const before = gpu.live();
    {
      await using setup = await setUp(3);
      const { world, streams } = setup;
      const opened = gpu.live().cuda;
      for (let x = 1; x <= 80; x++) {
        for (let i = 0; i < 3; i++) for (const rank of [0, 1, 2]) setup.launch(rank, 1, { grid: { x, y: 1, z: 1 } });
      }
      // A graph is two objects, and the three streams have one event each.
      expect(gpu.live().cuda - opened).toBe(64 * 2 + 3);
      await setup.synchronize();
      const [first] = streams;
      if (first === undefined) throw new RangeError('There is no rank.');
      const held = gpu.live().cuda;
      await world.destroyStream(first);
      // The stream and its synchronization event are freed as well.
      expect(held - gpu.live().cuda).toBe(64 * 2 + 3 + 2);
    }
    expect(gpu.live()).toEqual(before);
  });
});
