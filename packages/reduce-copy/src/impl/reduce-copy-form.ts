import {
  anyIntegerParam,
  coopParam,
  deviceFn,
  intrinsic,
  typeParam,
  type CoopLike,
  type DeviceFn,
  type TypeFn,
} from '@nccl-ts/kernel';
import type { ReduceCopyOptions } from '../reduce-copy-options.ts';
import { requiresAllDisjoint, requiresDisjoint } from './contracts.ts';
import { options } from './forms.ts';
import type { Move } from './move.ts';
import type { Region, RegionKind } from './region.ts';

/**
 * The pairs of a source and a destination that must be identical or disjoint. `own` is this rank's
 * own source and destination. `all` is each pair. `none` is no pair, because multicast addresses
 * cannot be compared.
 */
export type DisjointPairs = 'own' | 'all' | 'none';

/** Requires that sources and destinations do not overlap partially. */
export const requiresSound: DeviceFn<
  (coop: CoopLike, disjoint: DisjointPairs, src: Region, dst: Region, count: number) => void
> = deviceFn(
  { name: 'requiresSound', use: { requiresAllDisjoint, requiresDisjoint } },
  ({ requiresAllDisjoint, requiresDisjoint }, coop, apart, src, dst, count) => {
    if (apart === 'all') requiresAllDisjoint(coop, src.at, src.n, dst.at, dst.n, count);
    else if (apart === 'own') requiresDisjoint(src.at(src.own), dst.at(dst.own), count);
    dst.requires(count);
  },
);

/**
 * Makes a function of this package that stays a call in the IR. A call passes the arguments of the
 * sources, then those of the destinations, and then the count.
 */
export function reduceCopyForm<Src, Dst>(
  name: string,
  {
    from,
    to,
    apart: disjoint,
    move,
  }: {
    readonly from: RegionKind<Src>;
    readonly to: RegionKind<Dst>;
    readonly apart: DisjointPairs;
    readonly move: Move;
  },
): DeviceFn<(coop: CoopLike, type: TypeFn, src: Src, dst: Dst, count: number, options?: ReduceCopyOptions) => void> {
  return intrinsic(
    {
      name: `reduceCopy.${name}`,
      use: { requiresSound, move, srcOf: from.find, dstOf: to.find, APART: disjoint },
      params: {
        coop: coopParam,
        type: typeParam,
        src: from.accept,
        dst: to.accept,
        count: anyIntegerParam,
        'options?': options,
      },
    },
    ({ requiresSound, move, srcOf, dstOf, APART }, call) => {
      const { coop, type: T, count, options } = call;
      const src = srcOf(T, call.src);
      const dst = dstOf(T, call.dst);
      requiresSound(coop, APART, src, dst, count);
      move(coop, T, src, dst, count, options);
    },
  );
}
