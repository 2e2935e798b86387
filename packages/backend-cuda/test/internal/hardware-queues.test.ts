import { afterEach, expect, test, vi } from 'vitest';
import { loadCudaDriver } from '../../src/ffi/cuda-driver.ts';
import { HARDWARE_QUEUES } from '../../src/ffi/hardware-queues.ts';
import type { Koffi, NativeFunction } from '../../src/ffi/koffi.ts';

afterEach(() => vi.unstubAllEnvs());

/** Returns the environment when a CUDA 13.0 driver was initialized. */
function queuesAtInit(): string | undefined {
  let seen: string | undefined = 'never';
  const functions: Readonly<Record<string, NativeFunction>> = {
    cuInit: () => {
      seen = process.env[HARDWARE_QUEUES];
      return 0;
    },
    cuDriverGetVersion: (out) => {
      if (out instanceof BigUint64Array) out[0] = 13_000n;
      return 0;
    },
  };
  const none = (): never => {
    throw new RangeError('nothing else is asked for');
  };
  const koffi: Koffi = {
    load: () => ({ func: (name) => functions[name] ?? none }),
    struct: none,
    array: none,
    alloc: none,
    free: none,
    address: none,
    view: none,
    decode: none,
  };
  expect(loadCudaDriver(koffi).version).toBe(13_000);
  return seen;
}

test('the driver is set to use all hardware queues before any loader loads it', () => {
  vi.stubEnv(HARDWARE_QUEUES, undefined);
  expect(queuesAtInit()).toBe('32');
});

test("the environment's own number of hardware queues is kept", () => {
  vi.stubEnv(HARDWARE_QUEUES, '16');
  expect(queuesAtInit()).toBe('16');
});
