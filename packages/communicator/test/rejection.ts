import { isNcclError, type NcclError } from '@nccl-ts/core';

/** The error that `promise` rejects with; fails where it does not, or with something else. */
export async function rejection(promise: Promise<unknown>): Promise<NcclError> {
  try {
    await promise;
  } catch (error) {
    if (isNcclError(error)) return error;
    throw error;
  }
  throw new Error('It did not reject.');
}
