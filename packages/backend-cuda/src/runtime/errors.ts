import { NcclError } from '@nccl-ts/core';

/**
 * The error for an object of another world or backend, which the layer above should have rejected.
 */
export function foreign(what: string): NcclError {
  return new NcclError('NCCL_INTERNAL_ERROR', `The ${what} does not belong to this world on GPUs.`);
}

export function closed(what: string): NcclError {
  return new NcclError('NCCLTS_CLOSED', `${what}: the world is closed.`);
}

export function aborted(what: string, reason: unknown): NcclError {
  const why = reason instanceof Error ? reason.message : String(reason);
  return new NcclError('NCCLTS_ABORTED', `${what} was cancelled: ${why}`, { cause: reason });
}
