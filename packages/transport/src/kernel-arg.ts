import type { DevCommHandle, WindowHandle } from './handles.ts';

/**
 * A validated launch argument. The `value` of a scalar is in the range of the parameter's type. It
 * is a bigint for i64 and u64, a boolean for bool, and otherwise a number. An address (`pointer`)
 * is a result of `devicePointer`.
 */
export type KernelArg =
  | { readonly kind: 'scalar'; readonly value: number | bigint | boolean }
  | { readonly kind: 'vector'; readonly values: readonly (number | bigint)[] }
  | { readonly kind: 'pointer'; readonly address: number }
  | { readonly kind: 'window'; readonly window: WindowHandle }
  | { readonly kind: 'devComm'; readonly devComm: DevCommHandle };
