import type { Coop } from './coop.ts';
import type { Type } from './type.ts';

/** A compile-time argument of an intrinsic. */
export type Static =
  | { readonly kind: 'type'; readonly name: string; readonly type: Type }
  | { readonly kind: 'word'; readonly name: string; readonly word: string }
  | { readonly kind: 'number'; readonly name: string; readonly number: number | bigint | boolean }
  | { readonly kind: 'coop'; readonly name: string; readonly coop: Coop }
  /** The author's own group. Only the portable body supports it. */
  | { readonly kind: 'custom'; readonly name: string };
