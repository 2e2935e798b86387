import type { DeviceFn } from '@nccl-ts/kernel';
import { reduceOptions } from './impl/forms.ts';
import { reduce, reduceChanged } from './impl/move.ts';
import { reducePlaces, sumPlaces, type ReducePlaces, type SumPlaces } from './impl/reduce-places.ts';
import type { ReduceOptions } from './reduce-copy-options.ts';

/**
 * `lsaReduceLsaCopy(coop, T, src, nSrc, dst, nDst, op, count)`: reduces element `at` of `nSrc`
 * sources by `op`, and stores the result to all of `nDst` destinations. `src(i)` and `dst(i)`
 * return pointers to elements of type T. `op` takes and returns values of the accumulating type,
 * which is f32 for f16 and bf16, f16 for FP8, and otherwise T. It is applied from the first source
 * to the last. `before` and `after` (not in NCCL) convert values before and after the reduction,
 * for example for a scaled sum or an average.
 *
 * @see ncclLsaReduceLsaCopy
 */
export const lsaReduceLsaCopy: DeviceFn<ReducePlaces<ReduceOptions>> = reducePlaces(
  'lsaReduceLsaCopy',
  reduceOptions,
  reduceChanged,
);

/**
 * `lsaReduceSumLsaCopy(coop, T, src, nSrc, dst, nDst, count)`: like `lsaReduceLsaCopy`, with a sum.
 *
 * @see ncclLsaReduceSumLsaCopy
 */
export const lsaReduceSumLsaCopy: DeviceFn<SumPlaces> = sumPlaces('lsaReduceSumLsaCopy', reduce({ symmetric: false }));
