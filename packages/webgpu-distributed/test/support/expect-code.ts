import { isNcclError, type ErrorCode, type NcclError } from '@nccl-ts/core';
import { expect } from 'vitest';

/** Expects the promise to reject with an error of this code, and returns the error. */
export async function expectCode(promise: Promise<unknown>, code: ErrorCode): Promise<NcclError> {
  const outcome: unknown = await promise.then(
    () => 'no error',
    (error: unknown) => error,
  );
  if (!isNcclError(outcome)) throw new Error(`expected ${code}, got ${String(outcome)}`, { cause: outcome });
  expect(outcome.code).toBe(code);
  return outcome;
}
