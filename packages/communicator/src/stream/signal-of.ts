import { abortSignalOf } from '@nccl-ts/core';
import { shown } from '../describe.ts';
import { invalidArgument } from '../errors.ts';

/** @throws NcclError `NCCL_INVALID_ARGUMENT` */
export function signalOf(signal: unknown, what: string): AbortSignal | undefined {
  if (signal === undefined) return undefined;
  const found = abortSignalOf(signal, what);
  if (found !== undefined) return found;
  throw invalidArgument(`${what}: signal must be an AbortSignal; given ${shown(signal)}.`);
}
