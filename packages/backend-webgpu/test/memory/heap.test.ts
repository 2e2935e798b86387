import * as fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { outOfMemory } from '../../src/errors.ts';
import { AcquiredDevice } from '../../src/gpu/acquired-device.ts';
import { Heap } from '../../src/memory/heap.ts';
import { HostCopies } from '../../src/memory/host-copies.ts';
import { noDevice, openDevice, unlessDevice } from '../support/device.ts';
import { expectCode } from '../support/expect-code.ts';

const BASE = 0x4000_0000;
const small = { name: 'a heap', base: BASE, reserved: 4096, limit: 1 << 20 };

/** A GPU with room for buffers of at most this many bytes. */
class SmallGpu extends AcquiredDevice {
  room: number = Number.POSITIVE_INFINITY;

  override async createBuffer(descriptor: GPUBufferDescriptor, purpose: string): Promise<GPUBuffer> {
    const { size } = descriptor;
    if (size > this.room) throw outOfMemory(purpose, size, this.room, 'and the GPU has no room for them');
    return super.createBuffer(descriptor, purpose);
  }
}

describe.skipIf(noDevice !== undefined)(`Heap${unlessDevice}`, () => {
  let device: AcquiredDevice;
  let copies: HostCopies;
  beforeAll(async () => {
    device = await openDevice();
    copies = new HostCopies(device);
  });
  afterAll(() => {
    copies.dispose();
    device.dispose();
  });

  const read = async (heap: Heap, address: number, bytes: number): Promise<Uint8Array> => {
    const into = new Uint8Array(bytes).fill(0xee);
    await copies.read(heap, address - heap.base, into);
    return into;
  };
  const fill = async (heap: Heap, address: number, bytes: number, value: number): Promise<void> =>
    copies.write(heap, address - heap.base, new Uint8Array(bytes).fill(value));

  it('allocates zeroed memory without overlaps, and keeps contents while it grows', async () => {
    const step = fc.record({ bytes: fc.nat(60_000), release: fc.boolean() });
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 25 }), async (steps) => {
        const heap = await Heap.create(device, small);
        const live: { readonly address: number; readonly bytes: number; readonly value: number }[] = [];
        for (const [i, { bytes, release }] of steps.entries()) {
          const address = await heap.allocate(bytes, 'a test');
          expect(address % 4096).toBe(0);
          expect(address).toBeGreaterThanOrEqual(BASE + 4096);
          expect(address - BASE + bytes).toBeLessThanOrEqual(heap.buffer.size);
          expect((await read(heap, address, bytes)).every((byte) => byte === 0)).toBe(true);
          const value = i + 1;
          await fill(heap, address, bytes, value);
          live.push({ address, bytes, value });
          if (!release) continue;
          const [first] = live.splice(i % live.length, 1);
          if (first !== undefined) heap.release(first.address, first.bytes);
        }
        for (const { address, bytes, value } of live) {
          expect((await read(heap, address, bytes)).every((byte) => byte === value)).toBe(true);
        }
        heap.dispose();
      }),
      { seed: 3, numRuns: 20 },
    );
  });

  it('replaces its buffer when it grows, and counts that', async () => {
    const heap = await Heap.create(device, small);
    const before = heap.buffer;
    await heap.allocate(4096, 'a test');
    expect([heap.buffer, heap.generation]).toEqual([before, 0]);
    await heap.allocate(100_000, 'a test');
    expect(heap.buffer).not.toBe(before);
    expect(heap.buffer.size).toBe(1 << 17);
    expect(heap.generation).toBe(1);
    heap.dispose();
  });

  it('serves several requests at once', async () => {
    const heap = await Heap.create(device, small);
    const sizes = [5000, 90_000, 1, 200_000, 4096, 300_000];
    const addresses = await Promise.all(sizes.map(async (bytes) => heap.allocate(bytes, 'a test')));
    await Promise.all(addresses.map(async (address, i) => fill(heap, address, sizes[i] ?? 0, i + 1)));
    for (const [i, address] of addresses.entries()) {
      expect((await read(heap, address, sizes[i] ?? 0)).every((byte) => byte === i + 1)).toBe(true);
    }
    heap.dispose();
  });

  it('is limited in size', async () => {
    const heap = await Heap.create(device, small);
    const all = (1 << 20) - 4096;
    const error = await expectCode(heap.allocate(all + 1, 'a test'), 'NCCLTS_OUT_OF_MEMORY');
    expect(error.message).toBe(
      `no room for a test: ${all + 1} bytes requested, the largest free piece has ${all} of the ${all} bytes that all ` +
        'ranks share in a heap',
    );
    expect(error.details).toEqual({ bytes: all + 1, limit: all });
    const address = await heap.allocate(all, 'a test');
    expect(heap.buffer.size).toBe(1 << 20);
    await expectCode(heap.allocate(1, 'a test'), 'NCCLTS_OUT_OF_MEMORY');
    heap.release(address, all);
    expect(await heap.allocate(all, 'a test')).toBe(address);
    heap.dispose();
  });

  it('is limited by the largest binding of the device', async () => {
    const heap = await Heap.create(device, { ...small, limit: 2 ** 40 });
    const { maxBufferSize, maxStorageBufferBindingSize } = device.limits;
    expect(heap.limit).toBeLessThanOrEqual(Math.min(maxBufferSize, maxStorageBufferBindingSize));
    expect(heap.limit % 4096).toBe(0);
    heap.dispose();
  });

  it('settles for less if the GPU has no more', async () => {
    const gpu = new SmallGpu(device.device, false, undefined);
    const heap = await Heap.create(gpu, small);
    gpu.room = 150_000;
    const address = await heap.allocate(90_000, 'a test');
    await fill(heap, address, 90_000, 7);
    // Twice as much is not available, but this is.
    const next = await heap.allocate(40_000, 'a test');
    expect(heap.buffer.size).toBe(next - BASE + 40_960);
    const error = await expectCode(heap.allocate(40_000, 'a test'), 'NCCLTS_OUT_OF_MEMORY');
    expect(error.message).toContain('40000 bytes requested, and the GPU has no room for a heap with them');
    heap.release(next, 40_000);
    // Memory that was refused was not lost.
    expect(await heap.allocate(40_000, 'a test')).toBe(next);
    expect((await read(heap, address, 90_000)).every((byte) => byte === 7)).toBe(true);
    heap.dispose();
    gpu.dispose();
  });

  it('does not copy everything for each page if the GPU is almost full', async () => {
    const gpu = new SmallGpu(device.device, false, undefined);
    const heap = await Heap.create(gpu, { ...small, limit: 1 << 22 });
    await heap.allocate(1 << 21, 'a test');
    gpu.room = 3_000_000;
    const pages = Math.floor((gpu.room - (1 << 21)) / 4096) - 1;
    for (let page = 0; page < pages; page++) await heap.allocate(4096, 'a test');
    expect(heap.generation).toBeLessThan(pages / 5);
    await expectCode(heap.allocate(4096, 'a test'), 'NCCLTS_OUT_OF_MEMORY');
    heap.dispose();
    gpu.dispose();
  });

  it('continues after a failure', async () => {
    const gpu = new SmallGpu(device.device, false, undefined);
    const heap = await Heap.create(gpu, small);
    gpu.room = 0;
    const [one, two] = await Promise.allSettled([heap.allocate(90_000, 'one'), heap.allocate(90_000, 'two')]);
    expect([one?.status, two?.status]).toEqual(['rejected', 'rejected']);
    gpu.room = 1 << 20;
    expect(await heap.allocate(90_000, 'three')).toBe(BASE + 4096);
    heap.dispose();
    gpu.dispose();
  });

  it('fails once the device is lost', async () => {
    const lost = await openDevice();
    const heap = await Heap.create(lost, small);
    const growing = heap.allocate(500_000, 'a test');
    lost.device.destroy();
    await expectCode(growing, 'NCCLTS_WEBGPU_DEVICE_LOST');
    await expectCode(heap.allocate(1, 'a test'), 'NCCLTS_WEBGPU_DEVICE_LOST');
    await expectCode(Heap.create(lost, small), 'NCCLTS_WEBGPU_DEVICE_LOST');
    heap.dispose();
    const closed = await openDevice();
    const other = await Heap.create(closed, small);
    const late = other.allocate(500_000, 'a test');
    other.dispose();
    closed.dispose();
    await expectCode(late, 'NCCLTS_CLOSED');
  });
});
