import type { Expression } from './expression.ts';

/**
 * A group of threads of one CTA that act together. Every thread of the group must reach the
 * operation that uses it.
 *
 * `tile` has `size` threads, a power of two up to 32, aligned (a warp is a tile of 32, a thread one
 * of 1); `lanes` are the threads of a warp named by the u32 `mask`; `warpSpan` are `count` warps
 * from warp `first` on (both u32), using the named barrier 1 + `id`.
 */
export type Coop =
  | { readonly kind: 'tile'; readonly size: number }
  | { readonly kind: 'lanes'; readonly mask: Expression }
  | { readonly kind: 'warpSpan'; readonly first: Expression; readonly count: Expression; readonly id: Expression }
  | { readonly kind: 'cta' };

export type CoopKind = Coop['kind'];
