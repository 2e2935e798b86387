import { NcclError, showValue } from '@nccl-ts/core';
import { messageOf } from '../errors.ts';
import type { AcquiredDevice } from '../gpu/acquired-device.ts';
import { BufferUsage, SHADER_STAGE_COMPUTE } from '../gpu/gpu-flags.ts';
import { PAGE_BYTES, type GpuStore } from './address-map.ts';

/**
 * Checks if kernels on `device` can use a caller's buffer as it is.
 *
 * @throws NcclError `NCCL_INVALID_ARGUMENT` if it is not a buffer or has a wrong size,
 *   `NCCL_INVALID_USAGE` if it lacks STORAGE, is mapped or destroyed, or belongs to another device.
 */
export async function checkAdoptable(device: AcquiredDevice, buffer: GPUBuffer): Promise<void> {
  const given: unknown = buffer;
  if (!isBuffer(given)) throw invalid(`A GPUBuffer is needed; given ${showValue(given)}.`, given);
  const { size } = buffer;
  const most = device.limits.maxStorageBufferBindingSize;
  if (size < PAGE_BYTES || size % 4 !== 0) {
    throw invalid(`A GPUBuffer for kernels has at least ${PAGE_BYTES} bytes, a multiple of 4; given ${size}.`, size);
  }
  if (size > most) {
    throw invalid(
      `A GPUBuffer for kernels has at most ${most} bytes on this device (maxStorageBufferBindingSize); given ${size}.`,
      size,
    );
  }
  checkUsage(buffer, 'STORAGE', 'Memory of kernels');
  await checkOnDevice(device, buffer);
}

/** @throws NcclError `NCCL_INVALID_USAGE` if the buffer was created without the flag */
export function checkUsage(buffer: GPUBuffer, flag: 'STORAGE' | 'COPY_SRC' | 'COPY_DST', what: string): void {
  if ((buffer.usage & BufferUsage[flag]) !== 0) return;
  const label = buffer.label === '' ? '' : ` '${buffer.label}'`;
  throw new NcclError(
    'NCCL_INVALID_USAGE',
    `${what} needs a GPUBuffer with GPUBufferUsage.${flag}; the buffer${label} was created without it.`,
    { details: { flag, usage: buffer.usage } },
  );
}

/**
 * Checks if kernels have a binding left for another caller's buffer. They need one for each, since
 * any address may point there.
 *
 * @param own the storage buffers that every kernel binds in addition
 * @throws NcclError `NCCLTS_NOT_SUPPORTED`
 */
export function checkBindings(
  device: AcquiredDevice,
  adopted: readonly GpuStore[],
  buffer: GPUBuffer,
  own: number,
): void {
  const most = device.limits.maxStorageBuffersPerShaderStage;
  if (own + adopted.length < most || adopted.some((other) => other.buffer === buffer)) return;
  throw new NcclError(
    'NCCLTS_NOT_SUPPORTED',
    `Kernels bind every GPUBuffer that is adopted, and on this device at most ${most} storage buffers ` +
      `(maxStorageBuffersPerShaderStage), of which ${own} are the backend's: only ${most - own} can be adopted at a time, and all are in use. ` +
      'Close one of them, keep the parts of several ranks in one GPUBuffer (registerWindow takes an offset), or request ' +
      'the device with a larger limit, if its adapter has one.',
    { details: { limit: most, own, adopted: adopted.length } },
  );
}

/** A buffer shows neither its device nor if it was destroyed, so this tries to use it. */
async function checkOnDevice(acquired: AcquiredDevice, buffer: GPUBuffer): Promise<void> {
  const { device } = acquired;
  try {
    await acquired.validated('adopt', () => {
      const layout = device.createBindGroupLayout({
        entries: [{ binding: 0, visibility: SHADER_STAGE_COMPUTE, buffer: { type: 'storage' } }],
      });
      device.createBindGroup({ layout, entries: [{ binding: 0, resource: { buffer } }] });
      if ((buffer.usage & BufferUsage.COPY_DST) === 0) return;
      const encoder = device.createCommandEncoder();
      encoder.clearBuffer(buffer, 0, 0);
      device.queue.submit([encoder.finish()]);
    });
  } catch (cause) {
    acquired.check('adopt');
    throw new NcclError(
      'NCCL_INVALID_USAGE',
      "Kernels cannot use the GPUBuffer. It must belong to the world's GPUDevice (pass that device " +
        `to webgpu({ device })), and be neither destroyed nor mapped. ${messageOf(cause)}`,
      { cause },
    );
  }
}

/** In Node, an object that came through `postMessage` looks like a buffer but is empty. */
function isBuffer(value: unknown): boolean {
  return (
    typeof value === 'object' &&
    value !== null &&
    typeof Reflect.get(value, 'size') === 'number' &&
    typeof Reflect.get(value, 'usage') === 'number' &&
    typeof Reflect.get(value, 'mapAsync') === 'function'
  );
}

function invalid(message: string, given: unknown): NcclError {
  return new NcclError('NCCL_INVALID_ARGUMENT', message, { details: { given } });
}
