import type { Expression } from './expression.ts';

/**
 * A group of threads of one CTA that act together. Every thread of the group must reach the
 * operation that uses it.
 *
 * `tile` is an aligned group of `size` threads, a power of two up to 32. A warp is a tile of 32
 * threads, and a single thread is a tile of 1. `lanes` are the threads of a warp in the u32 `mask`.
 * `warpSpan` is `count` warps from warp `first` on, both u32. It uses the named barrier 1 + `id`.
 */
export type Coop =
  | { readonly kind: 'tile'; readonly size: number }
  | { readonly kind: 'lanes'; readonly mask: Expression }
  | { readonly kind: 'warpSpan'; readonly first: Expression; readonly count: Expression; readonly id: Expression }
  | { readonly kind: 'cta' };

export type CoopKind = Coop['kind'];
