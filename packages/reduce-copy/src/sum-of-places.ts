import { anyIntegerParam, anyPointerParam, coopParam, form, type OverloadForm } from '@nccl-ts/kernel';
import { lsaReduceSumLsaCopy } from './lsa-reduce-lsa-copy.ts';
import { options, pointerFunction } from './impl/forms.ts';

/** The form of a sum in which a function of the author returns the sources. */
export function sumOfPlaces(name: string): OverloadForm {
  return form(
    {
      name,
      use: { lsaReduceSumLsaCopy },
      params: {
        coop: coopParam,
        src: pointerFunction,
        nSrc: anyIntegerParam,
        dst: anyPointerParam,
        count: anyIntegerParam,
        'options?': options,
      },
    },
    ({ lsaReduceSumLsaCopy, typeOf }, { coop, src, nSrc, dst, count, options }) => {
      lsaReduceSumLsaCopy(coop, typeOf(dst), src, nSrc, (_i: number) => dst, 1, count, options);
    },
  );
}
