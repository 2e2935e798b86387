import type { DevCommHandle, WindowHandle } from './handles.ts';

/**
 * A launch argument, as validated. `value` of a scalar is in the range of the parameter's type:
 * bigint for i64 and u64, boolean for bool, else number. An address (`pointer`) is one that
 * `devicePointer` gave.
 */
export type KernelArg =
  | { readonly kind: 'scalar'; readonly value: number | bigint | boolean }
  | { readonly kind: 'vector'; readonly values: readonly (number | bigint)[] }
  | { readonly kind: 'pointer'; readonly address: number }
  | { readonly kind: 'window'; readonly window: WindowHandle }
  | { readonly kind: 'devComm'; readonly devComm: DevCommHandle };
