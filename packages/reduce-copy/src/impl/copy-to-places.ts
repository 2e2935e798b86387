import { deviceFn, type CoopLike, type DeviceFn, type Ptr } from '@nccl-ts/kernel';
import type { ReduceCopyOptions } from '../reduce-copy-options.ts';
import { copy } from './move.ts';
import { reduceCopyForm } from './reduce-copy-form.ts';
import { dstPlaces, pointer } from './region.ts';

const typed = reduceCopyForm('copyToPlaces', {
  from: pointer,
  to: dstPlaces,
  apart: 'all',
  move: copy({ symmetric: false }),
});

/**
 * The form of `lsaCopy` and `localCopy` in which a function of the caller returns the destinations.
 */
export const copyToPlaces: DeviceFn<
  (coop: CoopLike, src: Ptr, dst: (i: number) => Ptr, nDst: number, count: number, options?: ReduceCopyOptions) => void
> = deviceFn(
  { name: 'copyToPlaces', use: { typed } },
  (
    { typed, typeOf },
    coop: CoopLike,
    src: Ptr,
    dst: (i: number) => Ptr,
    nDst: number,
    count: number,
    options?: ReduceCopyOptions,
  ) => {
    typed(coop, typeOf(src), src, { dst, nDst }, count, options);
  },
);
