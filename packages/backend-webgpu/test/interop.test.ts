import { webgpu } from '@nccl-ts/backend-webgpu';
import { World, type Communicator } from '@nccl-ts/communicator';
import { devComm, window } from '@nccl-ts/devcomm';
import { f32, kernel, u32 } from '@nccl-ts/kernel';
import { lsa } from '@nccl-ts/lsa';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { BufferUsage, MapMode } from '../src/gpu/gpu-flags.ts';
import { noDevice, openDevice, unlessDevice } from './support/device.ts';
import { expectCode } from './support/expect-code.ts';
import { softwareDevice } from './support/gpu.ts';
import { vectorAllReduce } from './support/kernels.ts';

const allReduce = kernel(
  { name: 'allReduce', use: { lsa }, params: { comm: devComm, win: window, count: u32 } },
  ({ lsa, coopCta, threadIdx, blockIdx, blockDim, gridDim, f32 }, { comm, win, count }) => {
    const bar = lsa.barrierSession(coopCta(), comm, blockIdx.x);
    bar.sync(coopCta(), 'acquire');
    const nRanks = comm.lsaSize;
    const first = threadIdx.x + blockDim.x * (comm.lsaRank + blockIdx.x * nRanks);
    for (let i = first; i < count; i += blockDim.x * gridDim.x * nRanks) {
      let v = f32(0);
      for (let peer = 0; peer < nRanks; peer++) v += lsa.pointer(win, f32, 0, peer)[i]!;
      for (let peer = 0; peer < nRanks; peer++) lsa.pointer(win, f32, 0, peer)[i] = v;
    }
    bar.sync(coopCta(), 'release');
  },
);

const { STORAGE, COPY_SRC, COPY_DST, MAP_READ } = BufferUsage;
const everything = STORAGE | COPY_SRC | COPY_DST;
const CTAS = 2;

/** A program with its own device, which uses only WebGPU's calls on it. */
class Program {
  readonly device: GPUDevice;

  constructor(device: GPUDevice) {
    this.device = device;
  }

  buffer(floats: Float32Array<ArrayBuffer>, usage: number = everything): GPUBuffer {
    const buffer = this.device.createBuffer({ label: 'mine', size: floats.byteLength, usage });
    if ((usage & COPY_DST) !== 0) this.device.queue.writeBuffer(buffer, 0, floats);
    return buffer;
  }

  async contents(buffer: GPUBuffer): Promise<Float32Array> {
    const { size } = buffer;
    const staging = this.device.createBuffer({ size, usage: MAP_READ | COPY_DST });
    const encoder = this.device.createCommandEncoder();
    encoder.copyBufferToBuffer(buffer, 0, staging, 0, size);
    this.device.queue.submit([encoder.finish()]);
    await staging.mapAsync(MapMode.READ);
    const floats = new Float32Array(staging.getMappedRange()).slice();
    staging.destroy();
    return floats;
  }

  async open(ranks: number): Promise<World> {
    return World.open({ backend: webgpu({ ranks, device: this.device }) });
  }
}

function isBuffer(value: object): value is GPUBuffer {
  return 'usage' in value && 'mapState' in value;
}

/** Adopts the buffer and sums it with those of the other ranks. */
async function sum(comm: Communicator, buffer: GPUBuffer, part: { offset: number; count: number }): Promise<void> {
  const { offset, count } = part;
  const memory = await comm.adoptMemory(buffer);
  const win = await comm.registerWindow(memory, { type: f32, offset, bytes: count * 4 });
  if (win === null) throw new Error('there is no symmetric memory');
  const devComm = await comm.createDevComm({ lsaBarrierCount: CTAS });
  await comm.launch(allReduce, { grid: CTAS, block: 64 }, { comm: devComm, win, count });
  await comm.synchronize();
}

describe.skipIf(noDevice !== undefined)(`a program's own device and buffers${unlessDevice}`, () => {
  let program: Program;
  let dispose: () => void;
  let problems: string[] = [];
  beforeAll(async () => {
    const acquired = await openDevice();
    program = new Program(acquired.device);
    dispose = () => acquired.dispose();
    program.device.addEventListener('uncapturederror', ({ error }) => problems.push(error.message));
  });
  beforeEach(() => {
    problems = [];
  });
  afterAll(() => dispose());

  it('are adopted and exposed, through WebGPU alone', async () => {
    await using world = await program.open(2);
    const count = 1000;
    const sums = await world.run(async (comm) => {
      const win = await comm.allocWindow(f32, count);
      const devComm = await comm.createDevComm({ lsaBarrierCount: CTAS });
      const from = program.buffer(new Float32Array(count).fill(comm.rank + 1));
      const own = await win.expose();
      if (own.kind !== 'gpuBuffer' || !isBuffer(own.buffer)) throw new Error(own.kind);
      expect(own.bytes).toBe(count * 4);
      const encoder = program.device.createCommandEncoder();
      encoder.copyBufferToBuffer(from, 0, own.buffer, own.offset, own.bytes);
      program.device.queue.submit([encoder.finish()]);
      await comm.launch(allReduce, { grid: CTAS, block: 64 }, { comm: devComm, win, count });
      const after = await win.expose();
      if (after.kind !== 'gpuBuffer' || !isBuffer(after.buffer)) throw new Error(after.kind);
      const back = program.device.createCommandEncoder();
      back.copyBufferToBuffer(after.buffer, after.offset, from, 0, after.bytes);
      program.device.queue.submit([back.finish()]);
      return program.contents(from);
    });
    expect(sums).toEqual([0, 1].map(() => new Float32Array(count).fill(3)));
    expect(problems).toEqual([]);
  });

  it('are summed in place', async () => {
    // Kernels can access the last words of a size that is not a multiple of 16.
    const count = 3001;
    const buffers = [1, 2, 3, 4].map((rank) =>
      program.buffer(Float32Array.from({ length: count }, (_, i) => rank * i)),
    );
    {
      await using world = await program.open(4);
      await world.run(async (comm) => sum(comm, buffers[comm.rank]!, { offset: 0, count }));
    }
    const expected = Float32Array.from({ length: count }, (_, i) => 10 * i);
    for (const buffer of buffers) expect(await program.contents(buffer)).toEqual(expected);
    // They still belong to the program: closing the world has destroyed neither them nor the
    // device.
    program.device.queue.writeBuffer(buffers[0]!, 0, Float32Array.of(7));
    expect((await program.contents(buffers[0]!))[0]).toBe(7);
    expect(problems).toEqual([]);
  });

  it('can be one buffer with a part for each rank', async () => {
    const ranks = 8;
    const count = 1024;
    const shared = program.buffer(Float32Array.from({ length: ranks * count }, (_, i) => Math.floor(i / count)));
    await using world = await program.open(ranks);
    await world.run(async (comm) => sum(comm, shared, { offset: comm.rank * count * 4, count }));
    expect(await program.contents(shared)).toEqual(new Float32Array(ranks * count).fill(28));
    expect(problems).toEqual([]);
  });

  it(
    'can be one buffer in a kernel with many accesses, whose text compiles in seconds',
    { timeout: 60_000 },
    async () => {
      const ranks = 8;
      const count = 1024;
      const shared = program.buffer(Float32Array.from({ length: ranks * count }, (_, i) => Math.floor(i / count)));
      await using world = await program.open(ranks);
      await world.run(async (comm) => {
        const memory = await comm.adoptMemory(shared);
        const win = await comm.registerWindow(memory, { type: f32, offset: comm.rank * count * 4, bytes: count * 4 });
        if (win === null) throw new Error('there is no symmetric memory');
        const devComm = await comm.createDevComm({ lsaBarrierCount: CTAS });
        await comm.launch(vectorAllReduce, { grid: CTAS, block: 64 }, { comm: devComm, win, count: count / 4 });
        await comm.synchronize();
      });
      expect(await program.contents(shared)).toEqual(new Float32Array(ranks * count).fill(28));
      expect(problems).toEqual([]);
    },
  );

  it('are read and written by the host, and released', async () => {
    const mine = program.buffer(new Float32Array(2048).fill(3));
    await using world = await program.open(1);
    const comm = world.comm(0);
    const memory = await comm.adoptMemory(mine);
    expect(memory).toMatchObject({ rank: 0, bytes: 8192 });
    expect(await memory.read(new Float32Array(2), 8184)).toEqual(Float32Array.of(3, 3));
    await memory.write(Float32Array.of(5), 4);
    await memory.close();
    expect((await program.contents(mine)).subarray(0, 3)).toEqual(Float32Array.of(3, 5, 3));
    await expectCode(memory.read(), 'NCCLTS_CLOSED');
    // The buffer may be adopted again.
    await (await comm.adoptMemory(mine)).close();
    expect(problems).toEqual([]);
  });

  it('need STORAGE for kernels, and COPY flags only for the host', async () => {
    await using world = await program.open(1);
    const comm = world.comm(0);
    const copied = program.buffer(new Float32Array(1024), COPY_SRC | COPY_DST);
    const error = await expectCode(comm.adoptMemory(copied), 'NCCL_INVALID_USAGE');
    expect(error.message).toBe(
      "Memory of kernels needs a GPUBuffer with GPUBufferUsage.STORAGE; the buffer 'mine' was created without it.",
    );
    const stored = program.buffer(new Float32Array(1024), STORAGE);
    await sum(comm, stored, { offset: 0, count: 1024 });
    const memory = await comm.adoptMemory(stored);
    const read = await expectCode(memory.read(), 'NCCL_INVALID_USAGE');
    expect(read.message).toContain('GPUBufferUsage.COPY_SRC');
    const write = await expectCode(memory.write(Float32Array.of(1)), 'NCCL_INVALID_USAGE');
    expect(write.message).toContain('GPUBufferUsage.COPY_DST');
    expect(problems).toEqual([]);
  });

  it('must be buffers of the same device', async () => {
    await using world = await program.open(1);
    const comm = world.comm(0);
    await expectCode(comm.adoptMemory(new Float32Array(1024)), 'NCCL_INVALID_ARGUMENT');
    const elsewhere = await openDevice();
    const foreign = await elsewhere.createBuffer({ size: 4096, usage: everything }, 'a test');
    const error = await expectCode(comm.adoptMemory(foreign), 'NCCL_INVALID_USAGE');
    expect(error.message).toContain('pass that device to webgpu({ device })');
    elsewhere.dispose();
  });

  it("are limited by a kernel's bindings, and one more is refused", async () => {
    // Requested without that limit, so WebGPU provides 8 storage buffers.
    const device = await softwareDevice();
    if (device === undefined) return;
    const modest = new Program(device);
    await using world = await modest.open(1);
    const comm = world.comm(0);
    const buffers = [0, 1, 2, 3].map(() => modest.buffer(new Float32Array(1024).fill(1)));
    const adopted = await Promise.all(buffers.slice(0, 3).map(async (buffer) => comm.adoptMemory(buffer)));
    const error = await expectCode(comm.adoptMemory(buffers[3]!), 'NCCLTS_NOT_SUPPORTED');
    expect(error.message).toContain('at most 8 storage buffers (maxStorageBuffersPerShaderStage), of which 5');
    expect(error.message).toContain('3 can be adopted at a time');
    expect(error.details).toEqual({ limit: 8, own: 5, adopted: 3 });
    // The maximum number does not keep kernels from running, and a buffer that is already adopted
    // takes no further binding.
    await sum(comm, buffers[2]!, { offset: 0, count: 1024 });
    await adopted[0]?.close();
    await comm.adoptMemory(buffers[3]!);
    expect((await modest.contents(buffers[2]!))[1023]).toBe(1);
    device.destroy();
  });
});
