import { isNcclError, type NcclError } from '@nccl-ts/core';

/**
 * Returns the error with which `promise` rejects. Fails if it does not, or rejects with something
 * else.
 */
export async function rejection(promise: Promise<unknown>): Promise<NcclError> {
  try {
    await promise;
  } catch (error) {
    if (isNcclError(error)) return error;
    throw error;
  }
  throw new Error('It did not reject.');
}
