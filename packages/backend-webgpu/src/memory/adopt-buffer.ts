import { NcclError, showValue } from '@nccl-ts/core';
import { outOfMemory } from '../errors.ts';
import type { AcquiredDevice } from '../gpu/acquired-device.ts';
import { BufferUsage, SHADER_STAGE_COMPUTE } from '../gpu/gpu-flags.ts';
import { PAGE_BYTES, RESOURCE_BASE, SEGMENT_BASE } from './address-map.ts';
import type { FreeList } from './free-list.ts';
import type { Segment } from './segment.ts';

/**
 * Gives a caller's buffer addresses, after a look at whether kernels can use it.
 *
 * @throws NcclError `NCCL_INVALID_ARGUMENT` where it is no buffer or of a wrong size, `NCCL_INVALID_USAGE` where it lacks
 * STORAGE or belongs to another device, `NCCLTS_OUT_OF_MEMORY` where no addresses are left.
 */
export async function adoptBuffer(device: AcquiredDevice, buffer: GPUBuffer, addresses: FreeList): Promise<Segment> {
  checkBuffer(device, buffer);
  await checkDevice(device, buffer);
  const base = addresses.take(buffer.size);
  if (base !== undefined) return Object.freeze({ base, bytes: buffer.size, buffer });
  const all = RESOURCE_BASE - SEGMENT_BASE;
  const why = `and buffers of callers have addresses for ${all} bytes in all, of which ${addresses.largest} lie together`;
  throw outOfMemory("a caller's GPUBuffer", buffer.size, all, why);
}

/** @throws NcclError `NCCL_INVALID_USAGE` where the buffer was made without the flag. */
export function checkUsage(buffer: GPUBuffer, flag: 'STORAGE' | 'COPY_SRC' | 'COPY_DST', what: string): void {
  if ((buffer.usage & BufferUsage[flag]) !== 0) return;
  const label = buffer.label === '' ? '' : ` '${buffer.label}'`;
  throw new NcclError(
    'NCCL_INVALID_USAGE',
    `${what} needs a GPUBuffer with GPUBufferUsage.${flag}; the buffer${label} was created without it.`,
    { details: { flag, usage: buffer.usage } },
  );
}

function checkBuffer({ limits }: AcquiredDevice, buffer: GPUBuffer): void {
  const given: unknown = buffer;
  if (!isBuffer(given)) {
    throw new NcclError('NCCL_INVALID_ARGUMENT', `A GPUBuffer is needed; given ${showValue(given)}.`);
  }
  const { size } = buffer;
  if (size < PAGE_BYTES || size % 4 !== 0) {
    throw new NcclError(
      'NCCL_INVALID_ARGUMENT',
      `A GPUBuffer that kernels use has at least ${PAGE_BYTES} bytes, in whole words of 4; given one of ${size}.`,
      { details: { given: size } },
    );
  }
  const most = limits.maxStorageBufferBindingSize;
  if (size > most) {
    throw new NcclError(
      'NCCL_INVALID_ARGUMENT',
      `A GPUBuffer that kernels use has at most ${most} bytes on this device (maxStorageBufferBindingSize); given one of ${size}.`,
      { details: { given: size, max: most } },
    );
  }
  checkUsage(buffer, 'STORAGE', 'Memory of kernels');
}

/** A buffer does not say whose it is; a bind group with another device's is an error. */
async function checkDevice(acquired: AcquiredDevice, buffer: GPUBuffer): Promise<void> {
  const { device } = acquired;
  try {
    await acquired.scoped('adopt', 'validation', () => {
      const layout = device.createBindGroupLayout({
        entries: [{ binding: 0, visibility: SHADER_STAGE_COMPUTE, buffer: { type: 'storage' } }],
      });
      device.createBindGroup({ layout, entries: [{ binding: 0, resource: { buffer } }] });
    });
  } catch (cause) {
    acquired.check('adopt');
    throw new NcclError(
      'NCCL_INVALID_USAGE',
      'The GPUBuffer cannot be bound for kernels: it belongs to another GPUDevice than the world runs on. Give the device ' +
        'that made it to webgpu({ device }).',
      { cause },
    );
  }
}

/** An object that came through `postMessage` in Node looks like a buffer, and is an empty shell. */
function isBuffer(value: unknown): boolean {
  return (
    typeof value === 'object' &&
    value !== null &&
    typeof Reflect.get(value, 'size') === 'number' &&
    typeof Reflect.get(value, 'usage') === 'number' &&
    typeof Reflect.get(value, 'mapAsync') === 'function'
  );
}
