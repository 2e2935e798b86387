import { NcclError } from '@nccl-ts/core';

/**
 * The error for an object of another world or backend, which the layer above should have rejected.
 */
export function foreign(what: string): NcclError {
  return new NcclError('NCCL_INTERNAL_ERROR', `The ${what} does not belong to this world on WebGPU.`);
}

export function closed(what: string): NcclError {
  return new NcclError('NCCLTS_CLOSED', `${what}: the world is closed.`);
}

export function aborted(what: string, reason: unknown): NcclError {
  return new NcclError('NCCLTS_ABORTED', `${what} was cancelled: ${messageOf(reason)}`, { cause: reason });
}

/** The error for a device that was lost, either spontaneously or because it was destroyed. */
export function deviceLost(reason: string, message: string): NcclError {
  const why = message === '' ? `the reason is "${reason}"` : message.trim().replace(/\.+$/, '');
  const hint =
    reason === 'destroyed'
      ? 'The program called destroy() on it'
      : 'Drivers remove a device if a kernel runs for too long, if memory runs out, or if they fail';
  return new NcclError(
    'NCCLTS_WEBGPU_DEVICE_LOST',
    `The GPU device is lost, and all memory on it: ${why}. ${hint}; open a new world to go on.`,
    { details: { reason, message } },
  );
}

/**
 * `limit` is the largest number of bytes that one buffer can have, or all buffers together that
 * share memory with `purpose`.
 */
export function outOfMemory(purpose: string, bytes: number, limit: number, why: string, cause?: unknown): NcclError {
  return new NcclError('NCCLTS_OUT_OF_MEMORY', `no room for ${purpose}: ${bytes} bytes requested, ${why}`, {
    details: { bytes, limit },
    ...(cause === undefined ? {} : { cause }),
  });
}

export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
