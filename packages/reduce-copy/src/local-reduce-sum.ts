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
import { options } from './impl/forms.ts';
import { reduce } from './impl/move.ts';
import { reduceCopyForm } from './impl/reduce-copy-form.ts';
import { pointer, srcStride } from './impl/region.ts';
import type { ReduceCopyOptions } from './reduce-copy-options.ts';
import { sumOfPlaces } from './sum-of-places.ts';

const strided = reduceCopyForm('localReduceSum', {
  from: srcStride,
  to: pointer,
  apart: 'all',
  move: reduce({ symmetric: false }),
});

/** The forms of `localReduceSum`. */
export interface LocalReduceSum {
  /** From `nSrc` sources, each `displ` elements after the previous one, the first at `base`. */
  (coop: CoopLike, nSrc: number, base: Ptr, displ: number, dst: Ptr, count: number, options?: ReduceCopyOptions): void;
  /** From the `nSrc` sources `src(i)`. */
  (coop: CoopLike, src: (i: number) => Ptr, nSrc: number, dst: Ptr, count: number, options?: ReduceCopyOptions): void;
}

/** @see {@link ReduceCopy.localReduceSum} */
export const localReduceSum: DeviceFn<LocalReduceSum> = forms({
  name: 'reduceCopy.localReduceSum',
  forms: [
    form(
      {
        name: 'localReduceSum',
        use: { strided },
        params: {
          coop: coopParam,
          nSrc: anyIntegerParam,
          base: anyPointerParam,
          displ: anyIntegerParam,
          dst: anyPointerParam,
          count: anyIntegerParam,
          'options?': options,
        },
      },
      ({ strided, typeOf }, { coop, nSrc, base, displ, dst, count, options }) => {
        strided(coop, typeOf(dst), { nSrc, srcBase: base, srcDispl: displ }, dst, count, options);
      },
    ),
    sumOfPlaces('localReduceSum'),
  ],
});
