import type { Coop } from './coop.ts';
import type { Type } from './type.ts';

/** An argument of an intrinsic that is known when the kernel is compiled. */
export type Static =
  | { readonly kind: 'type'; readonly name: string; readonly type: Type }
  | { readonly kind: 'word'; readonly name: string; readonly word: string }
  | { readonly kind: 'number'; readonly name: string; readonly number: number | bigint | boolean }
  | { readonly kind: 'coop'; readonly name: string; readonly coop: Coop }
  /** A group of the author's own making: only the portable body knows how to run it. */
  | { readonly kind: 'custom'; readonly name: string };
