import { deviceFn, forms, type CoopLike, type DeviceFn, type Ptr } from '@nccl-ts/kernel';
import { copyToPlaces } from './impl/copy-to-places.ts';
import { anyPointer, coop, integer, options, places } from './impl/forms.ts';
import { copy } from './impl/move.ts';
import { reduceCopyForm } from './impl/reduce-copy-form.ts';
import { dstStride, pointer } from './impl/region.ts';
import type { ReduceCopyOptions } from './reduce-copy-options.ts';

const strided = reduceCopyForm('localCopy', {
  from: pointer,
  to: dstStride,
  apart: 'all',
  move: copy({ symmetric: false }),
});

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
    strided(coop, typeOf(src), src, { nDst, dstBase: base, dstDispl: displ }, count, options);
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
 * Copies `count` elements to several regions of the rank's own memory without changing a bit.
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
