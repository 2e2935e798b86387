import * as fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { AcquiredDevice } from '../../src/gpu/acquired-device.ts';
import { HostCopies } from '../../src/memory/host-copies.ts';
import { noDevice, openDevice, unlessDevice } from '../support/device.ts';
import { createStore, pattern } from './support/stores.ts';

describe.skipIf(noDevice !== undefined)(`HostCopies${unlessDevice}`, () => {
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

  const SIZE = 64;
  const step = fc.record({
    offset: fc.nat(SIZE),
    length: fc.nat(SIZE),
    skip: fc.nat(5),
    seed: fc.nat(250),
    wait: fc.boolean(),
  });

  it('moves exactly the requested bytes, like an array', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 12 }), async (steps) => {
        const store = await createStore(device, SIZE);
        const model = new Uint8Array(SIZE);
        const underWay: Promise<unknown>[] = [];
        for (const { offset, length, skip, seed, wait } of steps) {
          const bytes = pattern(Math.min(length, SIZE - offset) + skip, seed + 1).subarray(skip);
          model.set(bytes, offset);
          const written = copies.write(store, offset, bytes);
          underWay.push(written);
          if (!wait) continue;
          await written;
          const expected = model.slice(offset, offset + bytes.length);
          const into = new Uint8Array(bytes.length + skip);
          await copies.read(store, offset, into.subarray(skip));
          expect([...into.subarray(skip)]).toEqual([...expected]);
        }
        await Promise.all(underWay);
        const all = new Uint8Array(SIZE);
        await copies.read(store, 0, all);
        expect([...all]).toEqual([...model]);
        store.buffer.destroy();
      }),
      { seed: 7, numRuns: 150 },
    );
  });

  it('moves large data in pieces', async () => {
    const size = 80 << 20;
    const store = await createStore(device, size + 4);
    const words = new Uint32Array(size / 4);
    for (let i = 0; i < words.length; i++) words[i] = Math.imul(i, 0x9e37_79b1);
    const bytes = new Uint8Array(words.buffer, 1, size - 2);
    await copies.write(store, 2, bytes);
    const into = new Uint8Array(size - 2);
    await copies.read(store, 2, into);
    expect(Buffer.compare(into, bytes)).toBe(0);
    const ends = new Uint8Array(4);
    await copies.read(store, 0, ends);
    expect([...ends]).toEqual([0, 0, bytes[0], bytes[1]]);
    await copies.read(store, size - 2, ends);
    expect([...ends]).toEqual([bytes[size - 4], bytes[size - 3], 0, 0]);
    store.buffer.destroy();
  });
});
