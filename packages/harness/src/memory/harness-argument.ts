import type { TypedValue } from './memory-type.ts';
import type { Address } from './pointer.ts';

/**
 * An argument. It is a number for a scalar parameter, and an address for a pointer. For a struct it
 * is a typed value such as `RankData({ ... })`, or the raw bytes of the parameter.
 */
export type HarnessArgument = number | bigint | boolean | Address | TypedValue | Uint8Array;
