import { NcclError } from '@nccl-ts/core';

/**
 * The error for arguments of a builder that the IR does not allow. It is a bug of the caller, never
 * of the kernel's author.
 */
export function malformed(requested: string, given: string, allowed: string): NcclError {
  return new NcclError('NCCL_INTERNAL_ERROR', `Cannot build ${requested}: given ${given}, expected ${allowed}.`);
}
