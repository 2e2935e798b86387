import {
  merged,
  RESOURCE_BASE,
  WebgpuWorldMemory,
  type AcquiredDevice,
  type Replica,
  type WordRange,
} from '@nccl-ts/backend-webgpu/devices';
import { createTopology } from '@nccl-ts/topology';
import * as fc from 'fast-check';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { Exchange } from '../../src/exchange/exchange.ts';
import { noDevice, openDevice, unlessDevice } from '../support/device.ts';

const topology = createTopology({ ranks: 3, lsaSize: 3 });
const byBytes = { heap: true, resources: true };

describe.skipIf(noDevice !== undefined)(`Exchange${unlessDevice}`, () => {
  let devices: readonly AcquiredDevice[] = [];
  let memory: WebgpuWorldMemory;
  let exchange: Exchange;
  beforeAll(async () => {
    devices = [await openDevice(), await openDevice(), await openDevice()];
  });
  afterAll(() => {
    for (const device of devices) device.dispose();
  });
  beforeEach(async () => {
    const [first, ...others] = devices;
    if (first === undefined) throw new Error('There are devices.');
    memory = await WebgpuWorldMemory.create([first, ...others], topology, undefined);
    exchange = await Exchange.create(memory.replicas);
  });
  afterEach(() => {
    exchange.dispose();
    memory.dispose();
  });

  const replica = (device: number): Replica => {
    const found = memory.replicas[device];
    if (found === undefined) throw new Error(`There is no device ${device}.`);
    return found;
  };
  const copyOf = (device: number, address: number): Replica['heap'] =>
    address >= RESOURCE_BASE ? replica(device).resources : replica(device).heap;
  /** Writes as kernels of one device do, so that the agreed bytes stay. */
  const store = async (device: number, address: number, bytes: ArrayBufferView): Promise<void> => {
    const copy = copyOf(device, address);
    await replica(device).hostCopies.write(copy, address - copy.base, bytes);
  };
  const load = async (device: number, address: number, bytes: number): Promise<Uint8Array> => {
    const copy = copyOf(device, address);
    const into = new Uint8Array(bytes);
    await replica(device).hostCopies.read(copy, address - copy.base, into);
    return into;
  };
  const settle = async (ranges: readonly WordRange[], by = byBytes): Promise<void> => {
    for (const device of memory.replicas.keys()) {
      const finder = await exchange.prepare(device, merged(ranges), by);
      if (finder === undefined) continue;
      await finder.again();
    }
    await exchange.settle();
  };

  it('makes memory equal if each byte was written by one device', async () => {
    const BYTES = 8192;
    const [heap, resources] = [
      await memory.heap.allocate(BYTES, 'a test'),
      await memory.resources.allocate(BYTES, 'a test'),
    ];
    const places = [heap, resources];
    const model = new Map(places.map((place) => [place, new Uint8Array(BYTES)]));
    const ranges = places.map((address) => ({ address, words: BYTES / 4 }));
    // A few bytes here and there, or ranges that fill blocks. Several devices may write different
    // bytes of one word.
    const write = fc.record({
      device: fc.nat(2),
      place: fc.constantFrom(...places),
      at: fc.nat(BYTES - 1),
      length: fc.oneof(fc.integer({ min: 1, max: 6 }), fc.integer({ min: 500, max: 4000 })),
      value: fc.integer({ min: 1, max: 255 }),
    });
    await fc.assert(
      fc.asyncProperty(fc.array(write, { maxLength: 8 }), async (writes) => {
        const owners = new Map(places.map((place) => [place, new Uint8Array(BYTES)]));
        for (const { device, place, at, length, value } of writes) {
          const end = Math.min(BYTES, at + length);
          const owner = owners.get(place)?.subarray(at, end);
          if (owner === undefined || owner.some((one) => one !== 0 && one !== device + 1)) continue;
          owner.fill(device + 1);
          model.get(place)?.fill(value, at, end);
          await store(device, place + at, new Uint8Array(end - at).fill(value));
        }
        await settle(ranges);
        for (const device of memory.replicas.keys()) {
          for (const place of places) {
            const found = await load(device, place, BYTES);
            const wanted = model.get(place);
            // For so many bytes, `toEqual` takes as long as everything else here together.
            expect(found.findIndex((byte, i) => byte !== wanted?.[i])).toBe(-1);
          }
        }
      }),
      { seed: 1, numRuns: 25 },
    );
  });

  it('agrees on one value if several devices have changed a word, and never mixes them', async () => {
    const address = await memory.heap.allocate(4096, 'a test');
    const ranges = [{ address, words: 1024 }];
    const by = { heap: false, resources: false };
    await store(0, address, Uint32Array.of(0x0102, 1));
    await store(1, address, Uint32Array.of(0x0200, 0, 7));
    await settle(ranges, by);
    for (const device of memory.replicas.keys()) {
      expect([...new Uint32Array((await load(device, address, 12)).buffer)]).toEqual([0x0200, 1, 7]);
    }
    // The same in blocks: the last device counts.
    for (const device of memory.replicas.keys())
      await store(device, address, new Uint32Array(1024).fill((device + 1) * 0x101));
    await settle(ranges, by);
    for (const device of memory.replicas.keys()) {
      expect(new Set(new Uint32Array((await load(device, address, 4096)).buffer))).toEqual(new Set([0x303]));
    }
  });

  it('takes as many rounds as a long list needs', async () => {
    // A third of the words of one half: more than the longest list has room for.
    const bytes = 7 << 20;
    const address = await memory.heap.allocate(bytes, 'a test');
    const dense = Uint32Array.from({ length: bytes / 8 }, (_, i) => i + 1);
    const sparse = new Uint32Array(bytes / 8);
    for (let i = 0; i < sparse.length; i += 3) sparse[i] = i + 1;
    await store(1, address, dense);
    await store(2, address + bytes / 2, sparse);
    await settle([{ address, words: bytes / 4 }]);
    for (const device of memory.replicas.keys()) {
      const words = new Uint32Array((await load(device, address, bytes)).buffer);
      expect(words.subarray(0, dense.length).every((word, i) => word === dense[i])).toBe(true);
      expect(words.subarray(dense.length).every((word, i) => word === sparse[i])).toBe(true);
    }
    const { count, comparedBytes, changedBytes } = exchange.costs;
    expect(count).toBe(1);
    // More than one search each, and little more than what has changed.
    expect(comparedBytes).toBeGreaterThan(3 * bytes);
    expect(changedBytes).toBeGreaterThan(bytes / 2);
    expect(changedBytes).toBeLessThan(1.2 * (bytes / 2) + 3.1 * (bytes / 2));
  });

  it("sees the host's writes, and follows memory that grows", async () => {
    const buffer = await memory.allocate(0, 4096);
    await memory.write(buffer, Uint8Array.of(1, 2, 3, 4, 5), 2);
    await memory.allocate(1, 1 << 20);
    await store(2, buffer.address + 8, Uint8Array.of(9));
    await settle([{ address: buffer.address, words: 1024 }]);
    expect(exchange.costs.changedBytes).toBe(12);
    for (const device of memory.replicas.keys()) {
      expect([...(await load(device, buffer.address, 10))]).toEqual([0, 0, 1, 2, 3, 4, 5, 0, 9, 0]);
    }
    memory.free(buffer);
    const again = await memory.allocate(0, 4096);
    expect(again.address).toBe(buffer.address);
    await settle([{ address: again.address, words: 1024 }]);
    expect(exchange.costs.changedBytes).toBe(12);
    expect((await load(1, again.address, 16)).every((byte) => byte === 0)).toBe(true);
  });
});
