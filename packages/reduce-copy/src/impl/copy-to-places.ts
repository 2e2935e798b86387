import { anyIntegerParam, anyPointerParam, coopParam, form, type Form } from '@nccl-ts/kernel';
import { options, places } from './forms.ts';
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
export const copyToPlaces: Form = form(
  {
    name: 'copyToPlaces',
    use: { typed },
    params: {
      coop: coopParam,
      src: anyPointerParam,
      dst: places,
      nDst: anyIntegerParam,
      count: anyIntegerParam,
      'options?': options,
    },
  },
  ({ typed, typeOf }, { coop, src, dst, nDst, count, options }) => {
    typed(coop, typeOf(src), src, { dst, nDst }, count, options);
  },
);
