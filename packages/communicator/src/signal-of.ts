import { reading } from '@nccl-ts/core';
import { shown } from './describe.ts';
import { invalidArgument } from './errors.ts';

/** @throws NcclError `NCCL_INVALID_ARGUMENT` */
export function signalOf(signal: unknown, what: string): AbortSignal | undefined {
  if (signal === undefined) return undefined;
  const found = reading(what, () => (isSignal(signal) ? signal : undefined));
  if (found !== undefined) return found;
  throw invalidArgument(`${what}: signal must be an AbortSignal; given ${shown(signal)}.`);
}

/** Also of another realm, or of a package that replaces the host's. */
function isSignal(value: unknown): value is AbortSignal {
  if (typeof value !== 'object' || value === null) return false;
  return (
    typeof Reflect.get(value, 'aborted') === 'boolean' && typeof Reflect.get(value, 'addEventListener') === 'function'
  );
}
