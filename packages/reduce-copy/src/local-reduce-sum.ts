import { deviceFn, forms, type CoopLike, type DeviceFn, type Ptr } from '@nccl-ts/kernel';
import { anyPointer, coop, integer, options, places } from './impl/forms.ts';
import { reduce } from './impl/move.ts';
import { reduceCopyForm } from './impl/reduce-copy-form.ts';
import { pointer, srcStride } from './impl/region.ts';
import { lsaReduceSumLsaCopy } from './lsa-reduce-lsa-copy.ts';
import type { ReduceCopyOptions } from './reduce-copy-options.ts';

const strided = reduceCopyForm('localReduceSum', {
  from: srcStride,
  to: pointer,
  apart: 'all',
  move: reduce({ symmetric: false }),
});

const ofStride = deviceFn(
  { name: 'localReduceSum', use: { strided } },
  (
    { strided, typeOf },
    coop: CoopLike,
    nSrc: number,
    base: Ptr,
    displ: number,
    dst: Ptr,
    count: number,
    options?: ReduceCopyOptions,
  ) => {
    strided(coop, typeOf(dst), { nSrc, srcBase: base, srcDispl: displ }, dst, count, options);
  },
);

const ofPlaces = deviceFn(
  { name: 'localReduceSum', use: { lsaReduceSumLsaCopy } },
  (
    { lsaReduceSumLsaCopy, typeOf },
    coop: CoopLike,
    src: (i: number) => Ptr,
    nSrc: number,
    dst: Ptr,
    count: number,
    options?: ReduceCopyOptions,
  ) => {
    lsaReduceSumLsaCopy(coop, typeOf(dst), src, nSrc, (_i: number) => dst, 1, count, options);
  },
);

/** The forms of `localReduceSum`. */
export interface LocalReduceSum {
  /** From `nSrc` sources, each `displ` elements after the previous one, the first at `base`. */
  (coop: CoopLike, nSrc: number, base: Ptr, displ: number, dst: Ptr, count: number, options?: ReduceCopyOptions): void;
  /** From the `nSrc` sources `src(i)`. */
  (coop: CoopLike, src: (i: number) => Ptr, nSrc: number, dst: Ptr, count: number, options?: ReduceCopyOptions): void;
}

/**
 * Sums `count` elements of several regions of the rank's own memory into another.
 *
 * @see ncclLocalReduceSum
 */
export const localReduceSum: DeviceFn<LocalReduceSum> = forms({
  name: 'reduceCopy.localReduceSum',
  forms: [
    {
      params: {
        coop,
        nSrc: integer,
        base: anyPointer,
        displ: integer,
        dst: anyPointer,
        count: integer,
        'options?': options,
      },
      fn: ofStride,
    },
    {
      params: { coop, src: places, nSrc: integer, dst: anyPointer, count: integer, 'options?': options },
      fn: ofPlaces,
    },
  ],
});
