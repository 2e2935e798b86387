import { NcclError, showValue } from '@nccl-ts/core';

/** Returns the value of the option `local`, which is false by default. */
export function expectLocal(call: string, local: unknown): boolean {
  if (local === undefined || typeof local === 'boolean') return local === true;
  throw new NcclError('NCCL_INVALID_ARGUMENT', `${call}: local must be true or false; given ${showValue(local)}.`);
}
