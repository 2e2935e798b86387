import { NcclError } from './nccl-error.ts';
import { showValue } from './show-value.ts';

/**
 * Returns `value` if it is an integer from `min` to `max`.
 *
 * @param what names the argument in the message.
 * @throws NcclError `NCCL_INVALID_ARGUMENT` otherwise, with `what`, `given`, `min` and `max` in its
 * details.
 */
export function expectInteger(
  what: string,
  value: unknown,
  min: number,
  max: number = Number.MAX_SAFE_INTEGER,
): number {
  if (typeof value === 'number' && Number.isInteger(value) && value >= min && value <= max) return value;
  throw new NcclError(
    'NCCL_INVALID_ARGUMENT',
    `${what} must be an integer from ${min} to ${max}; given ${showValue(value)}.`,
    { details: { what, given: value, min, max } },
  );
}
