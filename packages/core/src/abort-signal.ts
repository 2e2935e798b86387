import { reading } from './reading.ts';

/**
 * Returns `value` if it is an `AbortSignal`, and otherwise `undefined`. Signals of another realm,
 * and of packages that replace the host's, count too.
 *
 * @param what names the call in the message, as in `launch of sum`.
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
