import { deviceFn, type CoopLike, type DeviceFn, type Ptr, type TypeFn } from '@nccl-ts/kernel';
import type { PointerAt } from './in-packs.ts';
import { packing } from './packing.ts';

/** Requires that two regions of `count` elements are either identical or disjoint. */
export const requiresDisjoint: DeviceFn<(a: Ptr, b: Ptr, count: number) => void> = deviceFn(
  { name: 'requiresDisjoint' },
  ({ requires }, a, b, count) => {
    requires(
      a.space !== b.space || a === b || a.offset(count) <= b || b.offset(count) <= a,
      'a source and a destination of {} elements overlap in a part: pass one and the same place, or places that are {} elements apart',
      count,
      count,
    );
  },
);

/** Requires the same for each pair of a source and a destination. One thread checks all pairs. */
export const requiresAllDisjoint: DeviceFn<
  (coop: CoopLike, src: PointerAt, nSrc: number, dst: PointerAt, nDst: number, count: number) => void
> = deviceFn(
  { name: 'requiresAllDisjoint', use: { requiresDisjoint } },
  ({ requiresDisjoint }, coop, src, nSrc, dst, nDst, count) => {
    if (coop.threadRank() === 0) {
      for (let i = 0; i < nSrc; i++) for (let j = 0; j < nDst; j++) requiresDisjoint(src(i), dst(j), count);
    }
  },
);

/** Requires that `n` destinations, `displ` elements apart, do not overlap. */
export const requiresStride: DeviceFn<(n: number, displ: number, count: number) => void> = deviceFn(
  { name: 'requiresStride' },
  ({ requires }, n, displ, count) => {
    requires(
      n < 2 || displ >= count,
      'destinations of {} elements lie {} elements apart, so they overlap: pass a displacement of {} or more',
      count,
      displ,
      count,
    );
  },
);

/**
 * Requires that multicast regions of small elements consist of whole 4-byte words, the smallest
 * multicast access.
 */
export const requiresWords: DeviceFn<
  (coop: CoopLike, type: TypeFn, pointerAt: PointerAt, n: number, count: number) => void
> = deviceFn({ name: 'requiresWords', use: { packing } }, ({ packing, requires }, coop, T, place, n, count) => {
  if (packing.wordWidth(T) > 1) {
    if (coop.threadRank() === 0) {
      for (let i = 0; i < n; i++) {
        requires(
          count % packing.wordWidth(T) === 0 && place(i).misalignment(4) === 0,
          '{} elements from {} bytes past a multiple of 4: through multicast addresses go whole words of 4 bytes, so begin at a multiple of 4 and pass a count that is a multiple of {}',
          count,
          place(i).misalignment(4),
          packing.wordWidth(T),
        );
      }
    }
  }
});
