import type { Coop } from './coop.ts';
import type { Type } from './type.ts';

/** An argument of an intrinsic that is known when the kernel is compiled. */
export type Static =
  | { readonly kind: 'type'; readonly name: string; readonly type: Type }
  | { readonly kind: 'word'; readonly name: string; readonly word: string }
  | { readonly kind: 'number'; readonly name: string; readonly number: number | bigint | boolean }
  | { readonly kind: 'coop'; readonly name: string; readonly coop: Coop }
  /** The author's own group: only the portable body can run it. */
  | { readonly kind: 'custom'; readonly name: string };
