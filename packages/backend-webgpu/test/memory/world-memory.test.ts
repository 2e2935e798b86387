import { planDevComm } from '@nccl-ts/devcomm';
import { createTopology } from '@nccl-ts/topology';
import { WindowFlags } from '@nccl-ts/window';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { AcquiredDevice } from '../../src/gpu/acquired-device.ts';
import { BufferUsage } from '../../src/gpu/gpu-flags.ts';
import { RESOURCE_BASE, SEGMENT_BASE } from '../../src/memory/address-map.ts';
import { WebgpuWorldMemory } from '../../src/memory/world-memory.ts';
import { noDevice, openDevice, unlessDevice } from '../support/device.ts';
import { expectCode } from '../support/expect-code.ts';

const topology = createTopology({ ranks: 4, lsaSize: 2 });
const support = { symmetric: true, multimem: false, gin: 'none' } as const;
const { STORAGE, COPY_SRC, COPY_DST } = BufferUsage;

describe.skipIf(noDevice !== undefined)(`WorldMemory${unlessDevice}`, () => {
  let device: AcquiredDevice;
  let memory: WebgpuWorldMemory;
  beforeAll(async () => {
    device = await openDevice();
  });
  afterAll(() => device.dispose());
  beforeEach(async () => {
    memory = await WebgpuWorldMemory.create([device], topology, undefined);
  });
  afterEach(() => memory.dispose());

  const everything = STORAGE | COPY_SRC | COPY_DST;
  const create = (size: number, usage: number): GPUBuffer => device.device.createBuffer({ label: 'mine', size, usage });

  it('creates windows of buffers', async () => {
    const buffers = await Promise.all([0, 1, 2, 3].map(async (rank) => memory.allocate(rank, 8192)));
    const parts = buffers.map((buffer) => ({ buffer, offset: 4096 }));
    const window = memory.registerWindow(parts, 100, WindowFlags.CollSymmetric);
    expect(window.name).toBe('window 0');
    expect(window.flags).toBe(WindowFlags.CollSymmetric);
    const address = memory.devicePointer(window, 0, 1, 96);
    expect(address).toBe((buffers[1]?.address ?? 0) + 4096 + 96);
    expect(memory.devicePointer(window, 0, 2, 0)).toBeUndefined();
    memory.deregisterWindow(window);
    expect(memory.space.find(address ?? 0)).toBeUndefined();
  });

  it('writes and reads at offsets of buffers', async () => {
    const one = await memory.allocate(0, 100);
    const two = await memory.allocate(1, 100);
    await memory.write(one, Uint8Array.of(1, 2, 3), 97);
    await memory.write(two, Uint8Array.of(9), 0);
    const into = new Uint8Array(4);
    await memory.read(one, into, 96);
    expect([...into]).toEqual([0, 1, 2, 3]);
    memory.free(one);
    memory.free(one);
    const again = await memory.allocate(2, 100);
    expect(again.address).toBe(one.address);
    await memory.read(again, into, 96);
    expect([...into]).toEqual([0, 0, 0, 0]);
  });

  it('provides memory up to its limit', async () => {
    const small = await WebgpuWorldMemory.create([device], topology, 1 << 16);
    await small.allocate(0, 1 << 15);
    await small.allocate(1, 1 << 15);
    const error = await expectCode(small.allocate(2, 1), 'NCCLTS_OUT_OF_MEMORY');
    expect(error.message).toContain('a buffer of rank 2: 1 bytes requested');
    expect(error.details['limit']).toBe(1 << 16);
    small.dispose();
  });

  it('creates device communicators', async () => {
    const plan = planDevComm({ lsaBarrierCount: 3 }, topology, support);
    const [one, two] = await Promise.all([memory.createDevComm(plan), memory.createDevComm(plan)]);
    const value = two?.valueAt(3);
    expect(value?.fields).toMatchObject({ rank: 3, nRanks: 4, lsaRank: 1, lsaSize: 2, 'lsaBarrier.nBarriers': 3 });
    expect(two?.valueAt(3)).toBe(value);
    const bases = [...(value?.windows.resourceWindow.bases ?? [])];
    expect(bases.every((base) => base >= RESOURCE_BASE && base % 4096 === 0)).toBe(true);
    expect(bases).not.toEqual([...(one?.valueAt(3).windows.resourceWindow.bases ?? [])]);
    const found = memory.space.find(bases[1] ?? 0);
    expect(found).toMatchObject({ rank: 3, offset: 0 });
    expect(found?.window.plan).toBe(plan);
    expect(found?.window.name).toBe('the resource window of device communicator 1');
    if (one === undefined) return;
    memory.destroyDevComm(one);
    memory.destroyDevComm(one);
    const three = await memory.createDevComm(plan);
    expect(three.resources.addressAt(0)).toBe(one.resources.addressAt(0));
  });

  it('creates device communicators without resources', async () => {
    const plan = planDevComm({}, topology, support);
    const devComm = await memory.createDevComm(plan);
    expect(devComm.resources.bytes).toBe(plan.resourceBytes);
    memory.destroyDevComm(devComm);
  });

  it("uses a caller's buffer in place", async () => {
    const mine = create(10_000, everything);
    device.device.queue.writeBuffer(mine, 0, Uint32Array.of(1, 2, 3));
    const buffer = await memory.adopt(1, mine);
    expect(buffer).toMatchObject({ rank: 1, bytes: 10_000, address: SEGMENT_BASE });
    expect(memory.segments).toEqual([{ base: SEGMENT_BASE, bytes: 10_000, buffer: mine, ofCaller: true }]);
    await memory.write(buffer, Uint8Array.of(7, 8), 5);
    const into = new Uint8Array(12);
    await memory.read(buffer, into, 0);
    expect([...into]).toEqual([1, 0, 0, 0, 2, 7, 8, 0, 3, 0, 0, 0]);
    const other = await memory.adopt(2, create(4096, everything));
    expect(other.address).toBe(SEGMENT_BASE + 12_288);
    memory.free(buffer);
    expect(memory.segments.map(({ base }) => base)).toEqual([SEGMENT_BASE + 12_288]);
    // It still belongs to the caller, and still exists.
    expect((await memory.adopt(0, mine)).address).toBe(SEGMENT_BASE);
    expect(memory.segments.map(({ base }) => base)).toEqual([SEGMENT_BASE, SEGMENT_BASE + 12_288]);
  });

  it('binds a buffer once for all ranks that share it', async () => {
    const mine = create(1 << 16, everything);
    const shared = await Promise.all([0, 1, 2, 3].map(async (rank) => memory.adopt(rank, mine)));
    expect(memory.segments).toHaveLength(1);
    const parts = shared.map((buffer, rank) => ({ buffer, offset: rank * 4096 }));
    const window = memory.registerWindow(parts, 4096, WindowFlags.Default);
    expect(memory.devicePointer(window, 2, 3, 0)).toBe(SEGMENT_BASE + 3 * 4096);
    for (const buffer of shared) {
      expect(memory.segments).toHaveLength(1);
      memory.free(buffer);
      memory.free(buffer);
    }
    expect(memory.segments).toHaveLength(0);
  });

  it.each([
    [{}, 'A GPUBuffer is needed; given {}.'],
    [null, 'A GPUBuffer is needed; given null.'],
  ])('refuses %o as a buffer', async (given, message) => {
    const error = await expectCode(memory.adopt(0, given as GPUBuffer), 'NCCL_INVALID_ARGUMENT');
    expect(error.message).toBe(message);
  });

  it('refuses buffers that kernels cannot use', async () => {
    const size = await expectCode(memory.adopt(0, create(4092, everything)), 'NCCL_INVALID_ARGUMENT');
    expect(size.message).toContain('at least 4096 bytes, a multiple of 4; given 4092.');
    await expectCode(memory.adopt(0, create(4098, everything)), 'NCCL_INVALID_ARGUMENT');
    const usage = await expectCode(memory.adopt(0, create(4096, COPY_SRC)), 'NCCL_INVALID_USAGE');
    expect(usage.message).toBe(
      "Memory of kernels needs a GPUBuffer with GPUBufferUsage.STORAGE; the buffer 'mine' was created without it.",
    );
    const destroyed = create(4096, everything);
    destroyed.destroy();
    expect((await expectCode(memory.adopt(0, destroyed), 'NCCL_INVALID_USAGE')).message).toContain('destroyed');
    const mapped = device.device.createBuffer({ size: 4096, usage: everything, mappedAtCreation: true });
    expect((await expectCode(memory.adopt(0, mapped), 'NCCL_INVALID_USAGE')).message).toContain('mapped');
    const elsewhere = await openDevice();
    const foreign = await elsewhere.createBuffer({ size: 4096, usage: STORAGE }, 'a test');
    const error = await expectCode(memory.adopt(0, foreign), 'NCCL_INVALID_USAGE');
    expect(error.message).toContain("It must belong to the world's GPUDevice");
    elsewhere.dispose();
    expect(memory.segments).toHaveLength(0);
  });

  it('names the flag that a copy lacks', async () => {
    const buffer = await memory.adopt(0, create(4096, STORAGE));
    const write = await expectCode(memory.write(buffer, Uint8Array.of(1), 0), 'NCCL_INVALID_USAGE');
    expect(write.message).toContain('A write by the host needs a GPUBuffer with GPUBufferUsage.COPY_DST');
    const read = await expectCode(memory.read(buffer, new Uint8Array(1), 0), 'NCCL_INVALID_USAGE');
    expect(read.message).toContain('A read by the host needs a GPUBuffer with GPUBufferUsage.COPY_SRC');
  });

  it("reports that the caller's buffer is destroyed", async () => {
    const mine = create(4096, everything);
    const buffer = await memory.adopt(0, mine);
    mine.destroy();
    const write = await expectCode(memory.write(buffer, new Uint8Array(9), 1), 'NCCL_INVALID_USAGE');
    expect(write.message).toContain("the caller's GPUBuffer cannot be copied; it may be neither destroyed nor mapped");
    await expectCode(memory.read(buffer, new Uint8Array(9), 1), 'NCCL_INVALID_USAGE');
  });

  it('recognises its own buffers', async () => {
    await expectCode(memory.write({ rank: 0, bytes: 4096 }, new Uint8Array(4), 0), 'NCCL_INTERNAL_ERROR');
    expect(() => memory.free({ rank: 0, bytes: 4096 })).toThrow('does not belong to this world');
    expect(() => memory.deregisterWindow({ bytes: 1, flags: WindowFlags.Default })).toThrow('The window');
    const plan = planDevComm({}, topology, support);
    expect(() => memory.destroyDevComm({ plan })).toThrow('The device communicator');
  });
});
