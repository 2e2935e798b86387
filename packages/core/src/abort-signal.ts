import { reading } from './reading.ts';

/**
 * `value` if it is an `AbortSignal`, also one of another realm, or of a package that replaces the
 * host's; `undefined` for all else.
 *
 * @param what the call, for the message: `launch of sum`.
 * @throws NcclError `NCCL_INVALID_ARGUMENT` if the object throws while it is read.
 */
export function abortSignalOf(value: unknown, what: string): AbortSignal | undefined {
  return reading(what, () => (isSignal(value) ? value : undefined));
}

function isSignal(value: unknown): value is AbortSignal {
  if (typeof value !== 'object' || value === null) return false;
  return (
    typeof Reflect.get(value, 'aborted') === 'boolean' && typeof Reflect.get(value, 'addEventListener') === 'function'
  );
}
