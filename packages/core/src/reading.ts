import { isNcclError, NcclError } from './nccl-error.ts';

/**
 * Returns the result of `read`, which reads objects of the program. If a getter or a proxy of these
 * throws, the error is replaced by one that names the call.
 *
 * @param what names the call in the message, as in `launch of sum`.
 * @throws NcclError `NCCL_INVALID_ARGUMENT` with the error as its cause. An `NcclError` is thrown
 * unchanged.
 */
export function reading<T>(what: string, read: () => T): T {
  try {
    return read();
  } catch (cause) {
    if (isNcclError(cause)) throw cause;
    const reason = cause instanceof Error ? cause.message : typeof cause;
    throw new NcclError(
      'NCCL_INVALID_ARGUMENT',
      `${what}: an object that was passed throws while it is read (${reason}): pass plain objects, without getters or proxies that throw.`,
      { cause },
    );
  }
}
