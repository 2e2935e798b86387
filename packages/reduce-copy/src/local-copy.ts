import { deviceFn, intrinsic, forms, type CoopLike, type DeviceFn, type Ptr, type TypeFn } from '@nccl-ts/kernel';
import { requiresAllApart, requiresStride } from './impl/contracts.ts';
import { copyElements } from './impl/copy-elements.ts';
import { copyToPlaces } from './impl/copy-to-places.ts';
import { anyPointer, coop, elements, integer, options, places, type } from './impl/forms.ts';
import type { ReduceCopyOptions } from './reduce-copy-options.ts';

const strided: DeviceFn<
  (
    coop: CoopLike,
    type: TypeFn,
    src: Ptr,
    nDst: number,
    base: Ptr,
    displ: number,
    count: number,
    options?: ReduceCopyOptions,
  ) => void
> = intrinsic(
  {
    name: 'reduceCopy.localCopy',
    use: { requiresAllApart, requiresStride, copyElements },
    params: {
      coop,
      type,
      src: elements,
      nDst: integer,
      base: elements,
      displ: integer,
      count: integer,
      'options?': options,
    },
  },
  (
    { requiresAllApart, requiresStride, copyElements },
    coop: CoopLike,
    T: TypeFn,
    src: Ptr,
    nDst: number,
    base: Ptr,
    displ: number,
    count: number,
    options: ReduceCopyOptions,
  ) => {
    const dst = (i: number): Ptr => base.offset(i * displ);
    requiresAllApart(coop, (_i: number) => src, 1, dst, nDst, count);
    requiresStride(nDst, displ, count);
    copyElements(coop, T, src, dst, nDst, count, false, options.unroll);
  },
);

const toStride = deviceFn(
  { name: 'localCopy', use: { strided } },
  (
    { strided, typeOf },
    coop: CoopLike,
    src: Ptr,
    nDst: number,
    base: Ptr,
    displ: number,
    count: number,
    options?: ReduceCopyOptions,
  ) => {
    strided(coop, typeOf(src), src, nDst, base, displ, count, options);
  },
);

/** The forms of `localCopy`. */
export interface LocalCopy {
  /** To `nDst` destinations, each `displ` elements after the previous one, the first at `base`. */
  (coop: CoopLike, src: Ptr, nDst: number, base: Ptr, displ: number, count: number, options?: ReduceCopyOptions): void;
  /** To the `nDst` destinations `dst(i)`. */
  (coop: CoopLike, src: Ptr, dst: (i: number) => Ptr, nDst: number, count: number, options?: ReduceCopyOptions): void;
}

/**
 * Copies `count` elements to several regions of the rank's own memory, bit by bit.
 *
 * @see ncclLocalCopy
 */
export const localCopy: DeviceFn<LocalCopy> = forms({
  name: 'reduceCopy.localCopy',
  forms: [
    {
      params: {
        coop,
        src: anyPointer,
        nDst: integer,
        base: anyPointer,
        displ: integer,
        count: integer,
        'options?': options,
      },
      fn: toStride,
    },
    {
      params: { coop, src: anyPointer, dst: places, nDst: integer, count: integer, 'options?': options },
      fn: copyToPlaces,
    },
  ],
});
