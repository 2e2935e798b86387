import { anyIntegerParam, anyPointerParam, coopParam, form, type OverloadForm } from '@nccl-ts/kernel';
import { options, pointerFunction } from './forms.ts';
import { copy } from './move.ts';
import { reduceCopyForm } from './reduce-copy-form.ts';
import { destinations, pointer } from './region.ts';

const typed = reduceCopyForm('copyToEach', {
  from: pointer,
  to: destinations,
  apart: 'all',
  move: copy({ symmetric: false }),
});

/**
 * The form of `lsaCopy` and `localCopy` in which a function of the caller returns the destinations.
 */
export const copyToEach: OverloadForm = form(
  {
    name: 'copyToEach',
    use: { typed },
    params: {
      coop: coopParam,
      src: anyPointerParam,
      dst: pointerFunction,
      nDst: anyIntegerParam,
      count: anyIntegerParam,
      'options?': options,
    },
  },
  ({ typed, typeOf }, { coop, src, dst, nDst, count, options }) => {
    typed(coop, typeOf(src), src, { dst, nDst }, count, options);
  },
);
