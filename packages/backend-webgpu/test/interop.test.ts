import { f32 } from '@nccl-ts/kernel';
import { afterAll, beforeAll, beforeEach, describe, expect, inject, it } from 'vitest';
import { noDevice, openDevice, unlessDevice } from './support/device.ts';
import { expectCode } from './support/expect-code.ts';
import { softwareDevice } from './support/gpu.ts';
import { allReduce, STORAGE, COPY_SRC, COPY_DST, everything, CTAS, Program, sum } from './support/program.ts';

/** Rows of tests that the quick run leaves out. */
const slow = inject('slow') ? [0] : [];

function isBuffer(value: object): value is GPUBuffer {
  return 'usage' in value && 'mapState' in value;
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

  it.for(slow)('need STORAGE for kernels, and COPY flags only for the host', async () => {
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

  it.for(slow)("are limited by a kernel's bindings, and one more is refused", async () => {
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
