import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { AcquiredDevice } from '../../src/gpu/acquired-device.ts';
import { HostCopies } from '../../src/memory/host-copies.ts';
import { noDevice, openDevice, unlessDevice } from '../support/device.ts';
import { expectCode } from '../support/expect-code.ts';
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

  it('accepts every view of memory, shared memory too', async () => {
    const store = await createStore(device, 64);
    await copies.write(store, 1, new DataView(pattern(20, 1).buffer, 3, 9));
    await copies.write(store, 12, Float32Array.of(1.5, -2));
    const shared = new Uint8Array(new SharedArrayBuffer(16), 2, 7);
    shared.set(pattern(7, 9));
    await copies.write(store, 21, shared);
    const expected = new Uint8Array(64);
    expected.set(pattern(20, 1).subarray(3, 12), 1);
    expected.set(new Uint8Array(Float32Array.of(1.5, -2).buffer), 12);
    expected.set(pattern(7, 9), 21);
    const all = new Uint8Array(new SharedArrayBuffer(64));
    await copies.read(store, 0, all);
    expect([...all]).toEqual([...expected]);
    const floats = new Float32Array(2);
    await copies.read(store, 12, floats);
    expect([...floats]).toEqual([1.5, -2]);
    await copies.write(store, 64, new Uint8Array(0));
    await copies.read(store, 64, new Uint8Array(0));
  });

  it('takes the bytes as they are at the call', async () => {
    const store = await createStore(device, 64);
    const bytes = pattern(13, 2);
    const written = copies.write(store, 3, bytes);
    bytes.fill(0);
    await written;
    const into = new Uint8Array(13);
    await copies.read(store, 3, into);
    expect([...into]).toEqual([...pattern(13, 2)]);
  });

  it('serves many at once', async () => {
    const store = await createStore(device, 1 << 16);
    const places = Array.from({ length: 100 }, (_, i) => ({ offset: i * 601, bytes: pattern(600, i) }));
    await Promise.all(places.map(async ({ offset, bytes }) => copies.write(store, offset, bytes)));
    const found = await Promise.all(
      places.map(async ({ offset, bytes }) => {
        const into = new Uint8Array(bytes.length);
        await copies.read(store, offset, into);
        return into;
      }),
    );
    expect(found.map((bytes) => [...bytes])).toEqual(places.map(({ bytes }) => [...bytes]));
  });
});

describe.skipIf(noDevice !== undefined)(`pending host copies${unlessDevice}`, () => {
  it('end with the device', async () => {
    const device = await openDevice();
    const copies = new HostCopies(device);
    const store = await createStore(device, 1 << 16);
    await copies.write(store, 0, pattern(100, 1));
    const reads = [1, 2, 3].map(async (offset) => copies.read(store, offset, new Uint8Array(1000)));
    const waiting = Promise.all(reads.map(async (read) => expectCode(read, 'NCCLTS_WEBGPU_DEVICE_LOST')));
    device.device.destroy();
    const errors = await waiting;
    const loss = await device.lost;
    expect(errors).toEqual([loss, loss, loss]);
    expect(await expectCode(copies.write(store, 0, pattern(4, 1)), 'NCCLTS_WEBGPU_DEVICE_LOST')).toBe(loss);
    expect(await expectCode(copies.read(store, 0, new Uint8Array(4)), 'NCCLTS_WEBGPU_DEVICE_LOST')).toBe(loss);
    copies.dispose();
  });

  it('end when they are released, on a device that stays', async () => {
    const device = await openDevice();
    const copies = new HostCopies(device);
    const store = await createStore(device, 1 << 16);
    const staged = copies.read(store, 0, new Uint8Array(1000));
    await staged;
    const reads = [1, 2, 3].map(async (offset) => copies.read(store, offset, new Uint8Array(1000)));
    const waiting = Promise.all(reads.map(async (read) => expectCode(read, 'NCCLTS_CLOSED')));
    copies.dispose();
    await waiting;
    await expectCode(copies.write(store, 0, pattern(4, 1)), 'NCCLTS_CLOSED');
    device.dispose();
  });
});
