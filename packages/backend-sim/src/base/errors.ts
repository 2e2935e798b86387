import { isNcclError, NcclError } from '@nccl-ts/core';
import type { KernelText } from '@nccl-ts/transport';

/**
 * The error for an object of another world or backend, which the layer above should have rejected.
 */
export function foreign(what: string): NcclError {
  return new NcclError('NCCL_INTERNAL_ERROR', `The ${what} does not belong to this simulated world.`);
}

export function closed(what: string): NcclError {
  return new NcclError('NCCLTS_CLOSED', `${what}: the simulated world is closed.`);
}

export function aborted(what: string, reason: unknown): NcclError {
  const why = reason instanceof Error ? reason.message : String(reason);
  return new NcclError('NCCLTS_ABORTED', `${what} was cancelled: ${why}`, { cause: reason });
}

/** The error when the host ran out of stack, or exceeded the limit of an array or a string. */
export function tooLarge(kernel: string, cause: RangeError): NcclError {
  return new NcclError(
    'NCCLTS_NOT_SUPPORTED',
    `Cannot run '${kernel}' on the simulator, because it is too large for this host (${cause.message}): ` +
      'split it into several kernels, or its body into loops.',
    { cause },
  );
}

/**
 * Converts a launch's error to an `NcclError`. Anything except a fault is a bug of the code
 * generator.
 */
export function failureOf(kernel: KernelText, thrown: unknown): NcclError {
  if (isNcclError(thrown)) return thrown;
  const why = thrown instanceof Error ? thrown.message : String(thrown);
  return new NcclError('NCCL_INTERNAL_ERROR', `The code generated for kernel ${kernel.name} is invalid: ${why}`, {
    cause: thrown,
  });
}
