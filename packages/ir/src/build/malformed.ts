import { NcclError } from '@nccl-ts/core';

/**
 * The error of a builder that was handed something the IR does not allow: the caller's bug, never
 * the author's.
 */
export function malformed(asked: string, given: string, allowed: string): NcclError {
  return new NcclError('NCCL_INTERNAL_ERROR', `Cannot build ${asked}: given ${given}, expected ${allowed}.`);
}
