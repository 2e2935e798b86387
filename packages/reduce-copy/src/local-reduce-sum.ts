import { deviceFn, intrinsic, forms, type CoopLike, type DeviceFn, type Ptr, type TypeFn } from '@nccl-ts/kernel';
import { requiresAllApart } from './impl/contracts.ts';
import { anyPointer, coop, elements, integer, options, places, type } from './impl/forms.ts';
import { reduceElements } from './impl/reduce-elements.ts';
import { lsaReduceSumLsaCopy } from './lsa-reduce-lsa-copy.ts';
import type { ReduceCopyOptions } from './reduce-copy-options.ts';

const strided: DeviceFn<
  (
    coop: CoopLike,
    type: TypeFn,
    nSrc: number,
    base: Ptr,
    displ: number,
    dst: Ptr,
    count: number,
    options?: ReduceCopyOptions,
  ) => void
> = intrinsic(
  {
    name: 'reduceCopy.localReduceSum',
    use: { requiresAllApart, reduceElements },
    params: {
      coop,
      type,
      nSrc: integer,
      base: elements,
      displ: integer,
      dst: elements,
      count: integer,
      'options?': options,
    },
  },
  (
    { requiresAllApart, reduceElements },
    coop: CoopLike,
    T: TypeFn,
    nSrc: number,
    base: Ptr,
    displ: number,
    dst: Ptr,
    count: number,
    options: ReduceCopyOptions,
  ) => {
    const src = (i: number): Ptr => base.offset(i * displ);
    const to = (_i: number): Ptr => dst;
    requiresAllApart(coop, src, nSrc, to, 1, count);
    reduceElements(coop, T, { src, nSrc, dst: to, nDst: 1 }, count, false, options);
  },
);

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
    strided(coop, typeOf(dst), nSrc, base, displ, dst, count, options);
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
