import { DataType, isNcclError, RedOp } from '@nccl-ts/core';
import { devComm, planDevComm, window } from '@nccl-ts/devcomm';
import { validate, type ValidatedModule } from '@nccl-ts/ir';
import { bf16, bool, f64, i64, kernel, u32, u8, vec, type Kernel } from '@nccl-ts/kernel';
import type { DeviceBuffer } from '@nccl-ts/transport';
import { WindowFlags } from '@nccl-ts/window';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import type { CudaBackend, CudaWorld } from '@nccl-ts/backend-cuda';
import { createFakeGpu, noFakeGpu, unlessFakeGpu, type FakeGpu } from './support/fake-gpu.ts';

/** Rows of tests that the quick run leaves out. */
const slow = inject('slow') ? [0] : [];

const options = { onStall: () => undefined };
const shape = { grid: { x: 2, y: 3, z: 4 }, block: { x: 64, y: 2, z: 1 } };

const simple = kernel({ name: 'simple', params: { win: window, count: u32 } }, (_tools, { win, count }) => {
  void win;
  void count;
});

function moduleOf(of: Kernel, backend: CudaBackend): ValidatedModule {
  const result = validate(of.compile(), backend.capabilities);
  if (!result.ok) throw new Error(result.diagnostics.map(({ message }) => message).join('\n'));
  return result.module;
}

async function adopted(world: CudaWorld, rank: number, foreign: object): Promise<DeviceBuffer> {
  if (world.adopt === undefined) throw new Error('it takes none');
  return world.adopt(rank, foreign);
}

describe.skipIf(noFakeGpu !== undefined)(`a world on a fake driver${unlessFakeGpu}`, () => {
  let gpu: FakeGpu;
  beforeAll(() => {
    gpu = createFakeGpu();
  });
  afterAll(() => gpu.dispose());

  async function twoRanks(backend = gpu.backend()): Promise<CudaWorld> {
    gpu.configure(2, 3);
    return backend.open(options);
  }

  it('has a rank for each GPU, in one LSA team', async () => {
    await using world = await twoRanks();
    expect(world.topology).toEqual({ nRanks: 2, lsaSize: 2, nLsaTeams: 1 });
    expect(world.localRanks).toEqual([0, 1]);
    expect(world.memSyncDomainCount(1)).toBe(4);
  });

  it.for(slow)('zeroes memory and copies large data in parts', async () => {
    await using world = await twoRanks();
    const bytes = (9 << 20) + 3;
    const buffer = await world.alloc(1, bytes);
    const into = new Uint8Array(bytes).fill(1);
    await world.read(buffer, into, 0);
    expect(into.every((byte) => byte === 0)).toBe(true);
    const data = Uint8Array.from({ length: bytes - 5 }, (_, i) => (i * 7) & 255);
    await world.write(buffer, data, 5);
    await world.read(buffer, into, 0);
    expect(Buffer.compare(into.subarray(5), data)).toBe(0);
    expect(into[4]).toBe(0);
  });

  it("adopts a program's own memory, and describes memory like DLPack", async () => {
    await using world = await twoRanks();
    const data = gpu.foreign(1, 3 * 4096);
    const tensor = { kind: 'deviceTensor', data, device: { type: 'cuda', id: 1 } } as const;
    const { nccl } = gpu.live();
    const buffer = await adopted(world, 1, {
      ...tensor,
      dtype: { code: 'float', bits: 32 },
      shape: [3, 1, 1024],
      strides: [1024, 9, 1],
    });
    expect(buffer.bytes).toBe(3 * 4096);
    await world.write(buffer, Uint8Array.of(1, 2, 3), 4096);
    const part = world.expose?.(buffer, 4096, 4096);
    expect(part).toEqual({
      ...tensor,
      data: data + 4096n,
      byteOffset: 0,
      dtype: { code: 'uint', bits: 8, lanes: 1 },
      shape: [4096],
    });
    const again = await adopted(world, 1, part ?? {});
    const into = new Uint8Array(3);
    await world.read(again, into, 0);
    expect([...into]).toEqual([1, 2, 3]);
    await world.free(again);
    await world.free(buffer);
    expect(gpu.live().nccl).toBe(nccl);
  });

  it('reports why it cannot adopt memory', async () => {
    await using world = await twoRanks();
    const data = gpu.foreign(0, 8192);
    const good = { data, device: { type: 'cuda', id: 0 }, dtype: { code: 'bfloat', bits: 16 }, shape: [4096] };
    const refusals = [
      [1, good],
      [0, { ...good, device: { type: 'cuda', id: 1 } }],
      [0, { ...good, shape: [4097] }],
      [0, { ...good, byteOffset: 16, shape: [8] }],
      [0, { ...good, shape: [2, 8], strides: [16, 1] }],
      [0, { ...good, dtype: { code: 'int', bits: 4 }, shape: [3] }],
      [0, { ...good, data: 16n }],
      [0, { ...good, shape: [0] }],
      [0, { ...good, data: 7 }],
      [0, new Uint8Array(8)],
    ] as const;
    const said: string[] = [];
    for (const [rank, foreign] of refusals) {
      const error = await adopted(world, rank, foreign).catch((thrown: unknown) => thrown);
      said.push(
        isNcclError(error) ? `${error.code} ${error.message.replaceAll(/0x[0-9a-f]{6,}/g, '0x...')}` : String(error),
      );
    }
    expect(said.join('\n')).toMatchInlineSnapshot(`
      "NCCL_INVALID_USAGE adoptMemory: the memory at 0x... is of device 0; rank 1 has 1.
      NCCL_INVALID_USAGE adoptMemory: the memory at 0x... is of device 0, but the tensor names device 1; rank 0 has 0.
      NCCL_INVALID_ARGUMENT adoptMemory: 8194 bytes at 0x... are more than the 8192 bytes allocated there.
      NCCL_INVALID_USAGE adoptMemory: 0x... is not a multiple of 4096, where windows begin.
      NCCL_INVALID_ARGUMENT adoptMemory: strides [16, 1] leave gaps in shape [2, 8]; kernels need all of it.
      NCCL_INVALID_ARGUMENT adoptMemory: shape [3] of 4 bits each is not a whole number of bytes.
      NCCL_INVALID_ARGUMENT adoptMemory: the driver knows no device memory at 0x10.
      NCCL_INVALID_ARGUMENT adoptMemory: 0 bytes at 0x... are not a memory range.
      NCCL_INVALID_ARGUMENT adoptMemory: a DeviceTensor is needed: { data: bigint, device: { type: "cuda", id }, dtype, shape }.
      NCCL_INVALID_ARGUMENT adoptMemory: a DeviceTensor is needed: { data: bigint, device: { type: "cuda", id }, dtype, shape }."
    `);
  });

  it('registers windows together, and has the addresses of peers', async () => {
    await using world = await twoRanks();
    const buffers = await Promise.all([0, 1].map(async (rank) => world.alloc(rank, 8192)));
    const parts = buffers.map((buffer) => ({ buffer, offset: 4096 }));
    const win = await world.registerWindow(parts, 4096, WindowFlags.CollSymmetric);
    expect(world.devicePointer(win, 0, 1, 20)).toBe(2 ** 40 + 32 * 2 ** 32 + 20);
    expect(world.devicePointer(win, 1, 0, 0)).toBe(2 ** 40);
    await expect(world.registerWindow(parts, 4096, WindowFlags.Default)).rejects.toMatchObject({
      code: 'NCCLTS_NOT_SUPPORTED',
    });
    await expect(world.registerWindow(parts, 4096, WindowFlags.GinOnly)).rejects.toMatchObject({
      code: 'NCCLTS_NOT_SUPPORTED',
      message: expect.stringContaining('lacks NCCL_WIN_GIN_ONLY, which 2.32.3 brings') as string,
    });
  });

  it("calls NCCL's own collectives with the memory of windows", async () => {
    await using world = await twoRanks();
    const buffers = await Promise.all([0, 1].map(async (rank) => world.alloc(rank, 8192)));
    const window = await world.registerWindow(
      buffers.map((buffer) => ({ buffer, offset: 4096 })),
      4096,
      WindowFlags.CollSymmetric,
    );
    const inWindow = world.devicePointer(window, 1, 1, 20) ?? 0;
    const inMemory = world.memoryAddress(1, inWindow);
    expect(inMemory).not.toBe(inWindow);
    expect(inMemory % 4096).toBe(20);
    expect(world.memoryAddress(1, inMemory)).toBe(inMemory);

    const streams = await Promise.all([0, 1].map(async (rank) => world.createStream(rank)));
    const parts = streams.map((stream) => ({ send: 64, recv: 64, stream }));
    const allReduce = { collective: 'allReduce', dataType: DataType.Float32, count: 3, parts } as const;
    world.ncclCollective(allReduce);
    const reduce = { collective: 'reduce', dataType: DataType.Bfloat16, op: RedOp.Max, root: 1, count: 3 } as const;
    world.ncclCollective({ ...reduce, parts: streams.map((stream) => ({ send: 64, recv: 128, stream })) });
    expect(() => world.ncclCollective({ ...reduce, parts: [] })).toThrow('ncclReduce: there are 2 ranks but 0 parts.');
    expect(() => world.ncclCollective({ ...allReduce, count: 0 })).toThrow('ncclAllReduce failed');
  });

  it("passes requirements in the installed version's layout, and keeps the handles that NCCL returns", async () => {
    await using world = await twoRanks();
    const asked = {
      lsaBarrierCount: 7,
      resourceRequirementsList: [{ bufferSize: 256 }, { bufferSize: 128, bufferAlign: 64 }],
    };
    const plan = planDevComm(asked, world.topology, { symmetric: true, multimem: false, gin: 'none' });
    const made = await world.createDevComm(plan);
    const seen = gpu.requirements();
    expect(seen.getUint32(8, true)).toBe(0xcafebeef);
    expect(seen.getInt32(40, true)).toBe(7);
    expect(seen.getInt32(60, true)).toBe(4);
    expect(seen.getInt32(84, true)).toBe(-(2 ** 31));
    expect([seen.getUint8(92), seen.getUint8(93)]).toEqual([1, 1]);
    expect(made.plan.lsaBarrier).toEqual({ bufHandle: 3, nBarriers: 7 });
    expect(made.plan.resources.map(({ bufHandle }) => bufHandle)).toEqual([100, 101]);
    expect(gpu.live().nccl).toBe(4);
    await world.destroyDevComm(made);
    expect(gpu.live().nccl).toBe(2);
  });

  it('passes launch shapes, attributes and arguments', async () => {
    const everything = kernel(
      {
        name: 'everything',
        params: { a: u8, comm: devComm, b: f64, c: bf16, d: bool, e: i64, win: window, v: vec(u32, 4) },
      },
      () => undefined,
    );
    const backend = gpu.backend();
    await using world = await twoRanks(backend);
    const buffers = await Promise.all([0, 1].map(async (rank) => world.alloc(rank, 4096)));
    const win = await world.registerWindow(
      buffers.map((buffer) => ({ buffer, offset: 0 })),
      4096,
      WindowFlags.CollSymmetric,
    );
    const plan = planDevComm({ lsaBarrierCount: 1 }, world.topology, { symmetric: true, multimem: false, gin: 'none' });
    const comm = await world.createDevComm(plan);
    const stream = await world.createStream(1, { memSyncDomainMap: { default: 1, remote: 3 } });
    expect(gpu.lastLaunch()).toMatchObject({ stream: world.nativeStream(stream) });
    const executable = await world.compile(moduleOf(everything, backend));
    const attributes = { memSyncDomain: 'remote', cooperative: true, programmaticStreamSerialization: true } as const;
    world.launch(executable, { ...shape, stream, attributes }, [
      { kind: 'scalar', value: 200 },
      { kind: 'devComm', devComm: comm },
      { kind: 'scalar', value: -0.5 },
      { kind: 'scalar', value: 1.5 },
      { kind: 'scalar', value: true },
      { kind: 'scalar', value: -3n },
      { kind: 'window', window: win },
      { kind: 'vector', values: [1, 2, 3, 4] },
    ]);
    const launch = gpu.lastLaunch();
    expect(launch).toMatchObject({ grid: [2, 3, 4], block: [64, 2, 1], sharedBytes: 0, context: 0x101 });
    expect(launch.stream).toBe(world.nativeStream(stream));
    expect(launch.attributes).toEqual([
      { id: 10, word: 1 },
      { id: 2, word: 1 },
      { id: 6, word: 1 },
    ]);
    const view = new DataView(launch.arguments.buffer);
    // struct { u8; ncclDevComm (80 bytes, aligned to 8); double; bf16; bool; int64; window; uint4
    // (aligned to 16) }
    expect(view.getUint8(0)).toBe(200);
    expect(view.getInt32(8 + 8, true)).toBe(1);
    expect(view.getFloat64(88, true)).toBe(-0.5);
    expect(view.getUint16(96, true)).toBe(0x3fc0);
    expect(view.getUint8(98)).toBe(1);
    expect(view.getBigInt64(104, true)).toBe(-3n);
    expect(view.getBigUint64(112, true)).not.toBe(0n);
    expect([0, 4, 8, 12].map((at) => view.getUint32(128 + at, true))).toEqual([1, 2, 3, 4]);
    expect(launch.arguments.length).toBe(144);
    expect(await world.synchronize(stream)).toEqual({ launches: 1, printed: [] });
  });

  it('compiles a kernel once, even for the next world', async () => {
    const backend = gpu.backend();
    const before = gpu.compilations();
    {
      await using world = await twoRanks(backend);
      await world.compile(moduleOf(simple, backend));
    }
    const between = gpu.compilations();
    await using world = await twoRanks(backend);
    const executable = await world.compile(moduleOf(simple, backend));
    expect(between - before).toBeLessThanOrEqual(1);
    expect(gpu.compilations()).toBe(between);
    expect(executable.artifacts[0]).toMatchObject({ language: 'cuda', text: expect.stringContaining('simple') });
  });

  it.for(slow)('frees everything, in fifty worlds one after another', async () => {
    gpu.configure(2, 0);
    const backend = gpu.backend();
    const before = gpu.live();
    for (let i = 0; i < 50; i++) {
      await using world = await backend.open(options);
      const buffers = await Promise.all([0, 1].map(async (rank) => world.alloc(rank, 4096)));
      const win = await world.registerWindow(
        buffers.map((buffer) => ({ buffer, offset: 0 })),
        4096,
        WindowFlags.CollSymmetric,
      );
      const plan = planDevComm({ lsaBarrierCount: 1 }, world.topology, {
        symmetric: true,
        multimem: false,
        gin: 'none',
      });
      await world.createDevComm(plan);
      const executable = await world.compile(moduleOf(simple, backend));
      const stream = await world.createStream(0);
      world.launch(executable, { ...shape, stream }, [
        { kind: 'window', window: win },
        { kind: 'scalar', value: 1 },
      ]);
      await world.synchronize(stream);
    }
    expect(gpu.live()).toEqual(before);
  });

  it('ends an abortable kernel by its flag and stays usable', async () => {
    const backend = gpu.backend();
    await using world = await twoRanks(backend);
    const executable = await world.compile(
      moduleOf(
        kernel({ name: 'waits', params: {} }, () => undefined),
        backend,
      ),
      {
        abortable: true,
      },
    );
    const stream = await world.createStream(0);
    const controller = new AbortController();
    world.launch(executable, { ...shape, stream, signal: controller.signal }, []);
    const word = Number(new DataView(gpu.lastLaunch().arguments.buffer).getBigUint64(0, true));
    gpu.hang(true, word);
    const ended = world.synchronize(stream);
    setTimeout(() => controller.abort(new Error('enough')), 5);
    await expect(ended).rejects.toMatchObject({ code: 'NCCLTS_ABORTED', message: expect.stringContaining('enough') });
    gpu.hang(false);
    world.launch(executable, { ...shape, stream }, []);
    expect(await world.synchronize(stream)).toEqual({ launches: 1, printed: [] });
  });

  it('skips cancelled launches, and the launches after them', async () => {
    const backend = gpu.backend();
    await using world = await twoRanks(backend);
    const executable = await world.compile(
      moduleOf(
        kernel({ name: 'late', params: {} }, () => undefined),
        backend,
      ),
    );
    const stream = await world.createStream(0);
    const before = gpu.launches();
    world.launch(executable, { ...shape, stream, signal: AbortSignal.abort(new Error('too late')) }, []);
    world.launch(executable, { ...shape, stream }, []);
    expect(gpu.launches()).toBe(before);
    await expect(world.synchronize(stream)).rejects.toMatchObject({
      code: 'NCCLTS_ABORTED',
      message: expect.stringContaining('too late'),
    });
    world.launch(executable, { ...shape, stream }, []);
    expect(await world.synchronize(stream)).toEqual({ launches: 1, printed: [] });
  });

  it('reports that a kernel still runs if it cannot be ended', async () => {
    const backend = gpu.backend({ launchTimeout: 20 });
    await using world = await twoRanks(backend);
    const executable = await world.compile(
      moduleOf(
        kernel({ name: 'waits', params: {} }, () => undefined),
        backend,
      ),
    );
    const stream = await world.createStream(1);
    world.launch(executable, { ...shape, stream }, []);
    gpu.hang(true);
    const error: unknown = await world.synchronize(stream).catch((reason: unknown) => reason);
    expect(isNcclError(error, 'NCCL_TIMEOUT') && error.message).toMatch(
      /kernel 'waits' on rank 1 \(GPU 1\) did not end within 20 ms.*may still run/,
    );
    gpu.hang(false);
  });

  it('keeps resources of kernels that are no longer awaited', async () => {
    const before = gpu.live();
    const backend = gpu.backend({ launchTimeout: 20 });
    {
      await using world = await twoRanks(backend);
      const executable = await world.compile(moduleOf(simple, backend));
      const buffers = await Promise.all([0, 1].map(async (rank) => world.alloc(rank, 4096)));
      const win = await world.registerWindow(
        buffers.map((buffer) => ({ buffer, offset: 0 })),
        4096,
        WindowFlags.CollSymmetric,
      );
      const stream = await world.createStream(0);
      world.launch(executable, { ...shape, stream }, [
        { kind: 'window', window: win },
        { kind: 'scalar', value: 1 },
      ]);
      gpu.hang(true);
      await expect(world.synchronize(stream)).rejects.toMatchObject({ code: 'NCCL_TIMEOUT' });
      const held = gpu.live();
      await world.deregisterWindow(win);
      for (const buffer of buffers) await world.free(buffer);
      await world.destroyStream(stream);
      expect(gpu.live()).toEqual(held);
      gpu.hang(false);
      for (const buffer of buffers) await world.free(buffer);
      expect(gpu.live().nccl).toBe(held.nccl - 2);
    }
    expect(gpu.live()).toEqual(before);
  });

  it('names the kernel of an illegal address, and is unusable afterwards', async () => {
    const backend = gpu.backend();
    const world = await twoRanks(backend);
    const executable = await world.compile(
      moduleOf(
        kernel({ name: 'strays', params: {} }, () => undefined),
        backend,
      ),
    );
    const stream = await world.createStream(0);
    world.launch(executable, { ...shape, stream }, []);
    gpu.fault(700);
    await expect(world.synchronize(stream)).rejects.toMatchObject({
      code: 'NCCL_UNHANDLED_CUDA_ERROR',
      message: expect.stringMatching(/CUDA_ERROR_ILLEGAL_ADDRESS \(700\).*kernel 'strays' on rank 0/),
      details: { kernels: ['strays'], rank: 0 },
    });
    gpu.fault(0);
    expect(() => world.launch(executable, { ...shape, stream }, [])).toThrow(/ILLEGAL_ADDRESS/);
    await world[Symbol.asyncDispose]();
  });

  it('watches the communicators while work is pending', async () => {
    const backend = gpu.backend();
    await using world = await twoRanks(backend);
    const executable = await world.compile(
      moduleOf(
        kernel({ name: 'pending', params: {} }, () => undefined),
        backend,
      ),
    );
    const stream = await world.createStream(0);
    world.launch(executable, { ...shape, stream }, []);
    gpu.hang(true);
    gpu.asyncError(6);
    await expect(world.synchronize(stream)).rejects.toMatchObject({
      code: 'NCCL_REMOTE_ERROR',
      message: expect.stringContaining('The communicator of rank 0'),
    });
    gpu.asyncError(0);
    gpu.hang(false);
  });

  it("passes on NCCL's error", async () => {
    gpu.configure(2, 0);
    gpu.failNext(2);
    await expect(gpu.backend().open(options)).rejects.toMatchObject({
      code: 'NCCL_SYSTEM_ERROR',
      message: expect.stringContaining('what the fake NCCL says'),
    });
    await using world = await twoRanks();
    gpu.failNext(1);
    await expect(world.alloc(0, 2 ** 40)).rejects.toMatchObject({ code: 'NCCLTS_OUT_OF_MEMORY' });
  });

  it('reports compile errors at the line of the kernel', async () => {
    const backend = gpu.backend();
    await using world = await twoRanks(backend);
    gpu.nvccFails('kernel.cu(1): error: identifier "nonsense" is undefined\n');
    const broken = kernel({ name: 'broken', params: { count: u32 } }, () => undefined);
    await expect(world.compile(moduleOf(broken, backend))).rejects.toMatchObject({
      code: 'NCCLTS_COMPILE',
      message: expect.stringMatching(/kernel 'broken' does not compile[^]*identifier "nonsense" is undefined/),
    });
    gpu.nvccFails(undefined);
  });

  it('records launches of two GPUs into one graph', async () => {
    const backend = gpu.backend();
    await using world = await twoRanks(backend);
    const executable = await world.compile(
      moduleOf(
        kernel({ name: 'noted', params: {} }, () => undefined),
        backend,
      ),
    );
    const streams = await Promise.all([0, 1].map(async (rank) => world.createStream(rank)));
    world.beginCapture(streams);
    const before = gpu.launches();
    for (const stream of streams) for (let i = 0; i < 3; i++) world.launch(executable, { ...shape, stream }, []);
    const graph = world.endCapture(streams);
    expect(graph).toMatchObject({ ranks: [0, 1], launches: 6 });
    const attributes = { memSyncDomain: 'default', memSyncDomainMap: { default: 0, remote: 1 }, cooperative: false };
    expect(world.graphKernelAttributes(graph)).toEqual(Array.from({ length: 6 }, () => attributes));
    expect(gpu.launches()).toBe(before);
    world.launchGraph(graph);
    world.launchGraph(graph);
    expect(gpu.launches()).toBe(before + 2);
    for (const stream of streams) expect(await world.synchronize(stream)).toEqual({ launches: 6, printed: [] });
    await world.destroyGraph(graph);
  });

  it('holds one rank of a larger world', async () => {
    gpu.configure(4, 0);
    const backend = gpu.backend({ devices: [2] });
    const uniqueId = await backend.getUniqueId();
    await using world = await backend.open({ ...options, process: { rank: 5, nRanks: 8, uniqueId } });
    expect(world.localRanks).toEqual([5]);
    expect(world.topology.nRanks).toBe(8);
    expect(world.deviceOf(5)).toBe(2);
  });

  it.each([
    [[0, 0], { gin: 'none' }],
    [[2, 2], { gin: 'full', ginType: 'proxy' }],
    [[0, 3], { gin: 'rail', ginType: 'gdaki' }],
  ] as const)("has NCCL's network: %j", async ([ginType, railedGinType], expected) => {
    gpu.network(ginType, railedGinType);
    try {
      await using world = await twoRanks();
      expect(world.support).toEqual({ symmetric: true, multimem: false, ncclVersion: 23007, ...expected });
    } finally {
      gpu.network(0, 0);
    }
  });

  it('has no network for an unknown type', async () => {
    gpu.network(9, 9);
    await expect(twoRanks()).rejects.toMatchObject({
      code: 'NCCL_INTERNAL_ERROR',
      message: 'NCCL 2.30.7 has a GIN of type 9, which this library does not know.',
    });
    gpu.network(0, 0);
  });

  it('refuses GPUs that do not exist', async () => {
    gpu.configure(2, 0);
    await expect(gpu.backend({ devices: [0, 5] }).open(options)).rejects.toMatchObject({
      code: 'NCCLTS_CUDA_NO_DEVICE',
      message: expect.stringContaining('no GPU 5'),
    });
  });
});
