import { NcclError, type ErrorCode } from '@nccl-ts/core';
import { cuResult, stickyResults } from './cu-constants.ts';

/**
 * The driver's description of a result: a name such as `CUDA_ERROR_ILLEGAL_ADDRESS`, and a
 * sentence.
 */
export interface CudaResultText {
  readonly name: string;
  readonly description: string;
}

/**
 * Converts a driver's error to an `NcclError`. Its details have the function, the number and the
 * name of the result.
 */
export function cudaFailure(call: string, result: number, text: CudaResultText, more = ''): NcclError {
  const lost = stickyResults.has(result)
    ? ' The context of the GPU is lost: nothing in this process can use that GPU any more; start a new one.'
    : '';
  return new NcclError(
    codeOf(result),
    `${call} failed with ${text.name} (${result}): ${text.description}.${more}${lost}`,
    { details: { call, result, name: text.name } },
  );
}

function codeOf(result: number): ErrorCode {
  if (result === cuResult.outOfMemory) return 'NCCLTS_OUT_OF_MEMORY';
  return result === cuResult.noDevice ? 'NCCLTS_CUDA_NO_DEVICE' : 'NCCL_UNHANDLED_CUDA_ERROR';
}

/** True if a context is lost after the error. */
export function isSticky(error: unknown): boolean {
  return (
    error instanceof NcclError &&
    typeof error.details['result'] === 'number' &&
    stickyResults.has(error.details['result'])
  );
}
