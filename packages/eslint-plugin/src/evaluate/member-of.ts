import { unknownValue } from '@nccl-ts/kernel';

/** An own member of a value; `unknownValue` if there is none. */
export function memberOf(of: unknown, name: string): unknown {
  if (typeof of !== 'object' || of === null || of === unknownValue) return unknownValue;
  return Object.hasOwn(of, name) ? Reflect.get(of, name) : unknownValue;
}
