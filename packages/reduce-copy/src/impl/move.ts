import { deviceFn, type CoopLike, type DeviceFn, type TypeFn } from '@nccl-ts/kernel';
import type { ReduceCopyOptions, ReduceOptions } from '../reduce-copy-options.ts';
import { copyElements } from './copy-elements.ts';
import { copyThrough } from './copy-through.ts';
import type { Operator } from './join-sources.ts';
import { reduceElements } from './reduce-elements.ts';
import { reduceThrough, type Through } from './reduce-through.ts';
import type { Region } from './region.ts';

/** Moves `count` elements from the sources of one region to the destinations of another. */
export type Move<Options = ReduceCopyOptions> = DeviceFn<
  (
    coop: CoopLike,
    type: TypeFn,
    src: Region,
    dst: Region,
    count: number,
    options: Partial<Options>,
    op?: Operator,
  ) => void
>;

/**
 * The work of a call. `symmetric` promises that all addresses of a region are aligned like the
 * first.
 */
interface Alignment {
  readonly symmetric: boolean;
}

/** Copies one source to all destinations. */
export function copy({ symmetric }: Alignment): Move {
  return deviceFn(
    { name: 'copy', use: { copyElements, SYMMETRIC: symmetric } },
    ({ copyElements, SYMMETRIC }, coop, T, src, dst, count, { unroll }) => {
      copyElements(coop, T, src.at(0), dst.at, dst.n, count, SYMMETRIC, unroll);
    },
  );
}

/** Copies one source to all copies behind a multicast address. */
export const copyToAll: Move = deviceFn(
  { name: 'copyToAll', use: { copyThrough } },
  ({ copyThrough }, coop, T, src, dst, count) => {
    copyThrough(coop, T, src.at(0), dst.at(0), count);
  },
);

/** Sums the sources, or reduces them by `op`, to all destinations. */
export function reduce({ symmetric }: Alignment): Move {
  return deviceFn(
    { name: 'reduce', use: { reduceElements, SYMMETRIC: symmetric } },
    ({ reduceElements, SYMMETRIC }, coop, T, src, dst, count, options, op) => {
      reduceElements(coop, T, { src, dst, op, before: undefined, after: undefined }, count, SYMMETRIC, options);
    },
  );
}

/** The same, with changes before and after the reduction. */
export const reduceChanged: Move<ReduceOptions> = deviceFn(
  { name: 'reduceChanged', use: { reduceElements } },
  ({ reduceElements }, coop, T, src, dst, count, options, op) => {
    const { before, after } = options;
    reduceElements(coop, T, { src, dst, op, before, after }, count, false, options);
  },
);

/** The same, with multicast addresses among the sources, the destinations, or both. */
export function reduceByMulticast({ fromAll, toAll, symmetric }: Through & Alignment): Move {
  return deviceFn(
    { name: 'reduceByMulticast', use: { reduceThrough, FROM_ALL: fromAll, TO_ALL: toAll, SYMMETRIC: symmetric } },
    ({ reduceThrough, FROM_ALL, TO_ALL, SYMMETRIC }, coop, T, src, dst, count, _options, op) => {
      const of = { src, dst, op, before: undefined, after: undefined };
      reduceThrough(coop, T, of, { fromAll: FROM_ALL, toAll: TO_ALL }, count, SYMMETRIC);
    },
  );
}
