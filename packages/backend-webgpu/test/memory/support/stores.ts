import type { AcquiredDevice } from '../../../src/gpu/acquired-device.ts';
import { BufferUsage } from '../../../src/gpu/gpu-flags.ts';
import type { GpuStore } from '../../../src/memory/address-map.ts';

const { STORAGE, COPY_SRC, COPY_DST } = BufferUsage;

export async function createStore(device: AcquiredDevice, size: number): Promise<GpuStore> {
  const buffer = await device.createBuffer({ size, usage: STORAGE | COPY_SRC | COPY_DST }, 'a test');
  return { base: 0, buffer, ofCaller: false };
}

/** Returns bytes in which nearby places differ. */
export function pattern(length: number, seed: number): Uint8Array {
  return Uint8Array.from({ length }, (_, i) => (i * 37 + (i >> 8) * 11 + seed) % 251);
}
