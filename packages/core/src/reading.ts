import { isNcclError, NcclError } from './nccl-error.ts';

/**
 * Returns the result of `read`, which looks at objects of the program. If one of them throws, as a
 * getter or a proxy may, the error becomes one that names the call.
 *
 * @param what the call, for the message: `launch of sum`.
 * @throws NcclError `NCCL_INVALID_ARGUMENT` with the error as its cause; an `NcclError` as it is.
 */
export function reading<T>(what: string, read: () => T): T {
  try {
    return read();
  } catch (cause) {
    if (isNcclError(cause)) throw cause;
    const told = cause instanceof Error ? cause.message : typeof cause;
    throw new NcclError(
      'NCCL_INVALID_ARGUMENT',
      `${what}: an object that was passed throws while it is read (${told}): pass plain objects, without getters or proxies that throw.`,
      { cause },
    );
  }
}
