import type { SiteChange } from '@nccl-ts/mutation';
import type { SourceLine } from '../source-places.ts';

/** A change of a program whose time is predicted. */
export type WhatIf =
  /** Every synchronization of a line that can be changed in this way. */
  | { readonly kind: 'sync'; readonly at: SourceLine; readonly to: SiteChange }
  /** Each launch has this many times its CTAs, in its first dimension. */
  | { readonly kind: 'ctas'; readonly factor: number }
  /** Stores of one thread to neighbouring places are stores of 16 bytes. */
  | { readonly kind: 'stores' };

/** A change that was made. */
export interface MadeChange {
  /** The place, as in `all-reduce.cu:42`; empty for a change of launches. */
  readonly at: string;
  /** The effect, as in `fence is acquire, not seq_cst`. */
  readonly does: string;
  /** The places in the kernel that the line stands for. It may be inlined several times. */
  readonly copies: number;
}
