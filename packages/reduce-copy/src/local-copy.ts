import {
  anyIntegerParam,
  anyPointerParam,
  coopParam,
  form,
  forms,
  type CoopLike,
  type DeviceFn,
  type Ptr,
} from '@nccl-ts/kernel';
import { copyToEach } from './impl/copy-to-each.ts';
import { options } from './impl/forms.ts';
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

/** The forms of `localCopy`. */
export interface LocalCopy {
  /** To `nDst` destinations, each `displ` elements after the previous one, the first at `base`. */
  (coop: CoopLike, src: Ptr, nDst: number, base: Ptr, displ: number, count: number, options?: ReduceCopyOptions): void;
  /** To the `nDst` destinations `dst(i)`. */
  (coop: CoopLike, src: Ptr, dst: (i: number) => Ptr, nDst: number, count: number, options?: ReduceCopyOptions): void;
}

/** Implements {@link ReduceCopy.localCopy}. */
export const localCopy: DeviceFn<LocalCopy> = forms({
  name: 'reduceCopy.localCopy',
  forms: [
    form(
      {
        name: 'localCopy',
        use: { strided },
        params: {
          coop: coopParam,
          src: anyPointerParam,
          nDst: anyIntegerParam,
          base: anyPointerParam,
          displ: anyIntegerParam,
          count: anyIntegerParam,
          'options?': options,
        },
      },
      ({ strided, typeOf }, { coop, src, nDst, base, displ, count, options }) => {
        strided(coop, typeOf(src), src, { nDst, dstBase: base, dstDispl: displ }, count, options);
      },
    ),
    copyToEach,
  ],
});
