import { isNcclError } from '@nccl-ts/core';
import * as fc from 'fast-check';
import { describe, expect, inject, it } from 'vitest';

import { FreeList } from '@nccl-ts/transport';
import { Heap } from '../../src/memory/heap.ts';
import { RegionTable } from '../../src/memory/region-table.ts';
import { StubWorld } from './stub.ts';

/** Rows of tests that the quick run leaves out. */
const slow = inject('slow') ? [0] : [];

describe('device memory', () => {
  it('holds the bytes that the host writes, range by range', async () => {
    const { world } = new StubWorld({ ranks: 2 });
    const one = await world.alloc(0, 100);
    const two = await world.alloc(1, 100);
    await world.write(one, Uint8Array.of(1, 2, 3), 97);
    await world.write(two, new DataView(Uint8Array.of(9, 8, 7, 6).buffer, 1, 2), 0);
    const into = new Uint8Array(4);
    await world.read(one, into.subarray(1, 3), 98);
    expect([...into]).toEqual([0, 2, 3, 0]);
    await world.read(two, into, 0);
    expect([...into]).toEqual([8, 7, 0, 0]);
  });

  it.for(slow)('is zero after reuse, and keeps its content when it grows', async () => {
    const { world } = new StubWorld({ ranks: 1 });
    const kept = await world.alloc(0, 1000);
    await world.write(kept, new Uint8Array(1000).fill(5), 0);
    const freed = await world.alloc(0, 5000);
    await world.write(freed, new Uint8Array(5000).fill(6), 0);
    await world.free(freed);
    await world.free(freed);
    const big = await world.alloc(0, 1 << 24);
    const small = await world.alloc(0, 3000);
    for (const buffer of [big, small]) {
      const bytes = new Uint8Array(buffer.bytes).fill(1);
      await world.read(buffer, bytes, 0);
      // A callback for each of 16 million bytes would take a second.
      expect(Buffer.from(bytes.buffer).equals(Buffer.alloc(buffer.bytes))).toBe(true);
    }
    const bytes = new Uint8Array(1000);
    await world.read(kept, bytes, 0);
    expect(bytes.every((byte) => byte === 5)).toBe(true);
  });

  it('is limited in size', async () => {
    const { world } = new StubWorld({ ranks: 1, memoryBytes: 1 << 20 });
    const first = await world.alloc(0, 600_000);
    await expect(world.alloc(0, 600_000)).rejects.toSatisfy((e) => isNcclError(e, 'NCCLTS_OUT_OF_MEMORY'));
    await world.free(first);
    expect((await world.alloc(0, 600_000)).bytes).toBe(600_000);
  });

  it('starts after the frame of generated code, in one memory that grows', () => {
    const heap = new Heap(1 << 24, 131072);
    const { memory, frame } = heap.linear;
    expect(frame % 64).toBe(0);
    expect(heap.views.u8.buffer).toBe(memory.buffer);
    heap.views.u8.fill(9, frame, frame + 131072);
    const first = heap.allocate(100_000, 'a test');
    expect(first).toBeGreaterThanOrEqual(frame + 131072);
    heap.allocate(8 << 20, 'a test');
    expect(heap.linear).toEqual({ memory, frame });
    expect(heap.views.u8.buffer).toBe(memory.buffer);
    expect(heap.views.u8.subarray(first, first + 100_000).every((byte) => byte === 0)).toBe(true);
    expect(heap.views.u8[frame + 131071]).toBe(9);
  });

  it('uses little host memory for small worlds, so that there can be thousands', () => {
    const heap = new Heap(1 << 24);
    heap.allocate(1000, 'a window');
    expect(heap.views.u8.length).toBe(65536);
    heap.allocate(65536, 'another');
    expect(heap.views.u8.length).toBe(2 * 65536);
  });

  it('is a heap of allocations that do not overlap and start at multiples of 64', () => {
    fc.assert(
      fc.property(fc.array(fc.record({ bytes: fc.nat(20_000), free: fc.boolean() }), { maxLength: 60 }), (steps) => {
        const heap = new Heap(1 << 22);
        let live: { readonly address: number; readonly bytes: number }[] = [];
        for (const { bytes, free } of steps) {
          const address = heap.allocate(bytes, 'a test');
          expect(address % 64).toBe(0);
          expect(address).toBeGreaterThan(0);
          expect(heap.views.u8.length).toBeGreaterThanOrEqual(address + bytes);
          for (const other of live) {
            expect(address + bytes <= other.address || other.address + other.bytes <= address).toBe(true);
          }
          live.push({ address, bytes });
          if (free) {
            const [first, ...rest] = live;
            if (first !== undefined) heap.release(first.address, first.bytes);
            live = rest;
          }
        }
      }),
      { seed: 11 },
    );
  });
});

describe('FreeList', () => {
  it('merges freed ranges', () => {
    const list = new FreeList(0, 1024, 64);
    const pieces = [list.take(100), list.take(1), list.take(200), list.take(640)];
    expect(pieces).toEqual([0, 128, 192, undefined]);
    expect(list.largest).toBe(1024 - 448);
    list.give(128, 1);
    list.give(0, 100);
    list.give(192, 200);
    expect(list.take(1024)).toBe(0);
    expect(list.take(1)).toBeUndefined();
  });
});

describe('RegionTable', () => {
  it('keeps region 0 empty and grows', () => {
    const regions = new RegionTable();
    const firsts = Array.from({ length: 50 }, (_, i) => regions.add([i * 1000, i * 1000 + 500], 100));
    expect(firsts).toEqual(Array.from({ length: 50 }, (_, i) => 1 + 2 * i));
    expect([regions.low[0], regions.high[0]]).toEqual([0, 0]);
    expect([regions.low[100], regions.high[100]]).toEqual([49_500, 49_600]);
  });

  it('reuses numbers only after they are recycled', () => {
    const regions = new RegionTable();
    const first = regions.add([64], 10);
    regions.clear(first, 1);
    expect(regions.high[first]).toBe(0);
    expect(regions.add([64], 10)).not.toBe(first);
    regions.recycle();
    expect(regions.add([128], 10)).toBe(first);
  });
});

describe('device pointers', () => {
  it('have a slot of 4 GiB per rank, with the same offset in every slot, and a MiB between windows', async () => {
    const stub = new StubWorld({ ranks: 4, lsaSize: 2 });
    const first = await stub.window(5000);
    const second = await stub.window(10);
    const { world } = stub;
    expect(world.devicePointer(first.window, 0, 0, 0)).toBe(2 ** 32);
    expect(world.devicePointer(first.window, 0, 1, 16)).toBe(2 * 2 ** 32 + 16);
    expect(world.devicePointer(second.window, 3, 2, 4)).toBe(3 * 2 ** 32 + 8192 + 2 ** 20 + 4);
    expect(world.devicePointer(second.window, 3, 1, 4)).toBeUndefined();
  });

  it('arrive in kernels as addresses in their region', async () => {
    const stub = new StubWorld({ ranks: 2 });
    const [stream] = await stub.streams();
    const { window, buffers } = await stub.window(64);
    const [, buffer] = buffers;
    if (stream === undefined || buffer === undefined) throw new Error('no stream');
    const address = stub.world.devicePointer(window, 0, 1, 16);
    await stub.launch(
      {
        name: 'stores',
        *body({ host, args: [pointer] }) {
          if (typeof pointer !== 'object' || !('address' in pointer)) throw new TypeError('no pointer');
          const { address: at, region } = pointer;
          expect(host.regions.high[region]).toBe((host.regions.low[region] ?? 0) + 64);
          host.heap.u8[at] = 42;
          yield 'yield';
        },
      },
      stream,
      { args: [{ kind: 'pointer', address: address ?? 0 }] },
    );
    await stub.world.synchronize(stream);
    const into = new Uint8Array(2);
    await stub.world.read(buffer, into, 15);
    expect([...into]).toEqual([0, 42]);
  });
});

describe('a world', () => {
  it('reports the capabilities that its ranks have in common', () => {
    const supports = [true, false].map((symmetric) => new StubWorld({ ranks: 2, symmetric }).world.support);
    expect(supports).toEqual([
      { symmetric: true, multimem: true, gin: 'full', ginBarriers: 'perPeer', cft: 'cftMultimem' },
      { symmetric: false, multimem: false, gin: 'full', ginBarriers: 'perPeer', cft: 'none' },
    ]);
  });
});
