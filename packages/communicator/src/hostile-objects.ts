import { isNcclError, NcclError } from '@nccl-ts/core';
import { invalidUsage } from './errors.ts';

/**
 * Returns the result of `read`, which looks at objects of the program: an error that one of them
 * throws, as a getter or a proxy may, becomes one that says so.
 *
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

const nothing: readonly unknown[] = [];

/**
 * Elements that every array inherits are found where an array is empty, and nothing works any more.
 *
 * @throws NcclError `NCCL_INVALID_USAGE`
 */
export function checkPrototypes(what: string): void {
  for (const index of ['0', '1', '2', '3']) {
    if (!(index in nothing)) continue;
    const owner = Object.hasOwn(Object.prototype, index) ? 'Object.prototype' : 'Array.prototype';
    throw invalidUsage(
      `${what}: some code of this process has set ${owner}[${index}], so empty arrays have elements: delete it.`,
    );
  }
}
