import type { DeviceFn } from '@nccl-ts/kernel';
import { sumThrough, type SumPlaces } from './impl/sum-places.ts';

/**
 * `multimemReduceSumMultimemCopy(coop, T, src, nSrc, dst, nDst, count)`: sums element `at` over all
 * copies behind `nSrc` multicast pointers, and stores the sum to all copies behind `nDst` others.
 * `src(i)` and `dst(i)` return the pointers. Several sources are added in the accumulating type;
 * the sums over copies have the switch's own type. Types and sizes are those of
 * `multimemReduceSum`.
 *
 * @see ncclMultimemReduceSumMultimemCopy
 */
export const multimemReduceSumMultimemCopy: DeviceFn<SumPlaces> = sumThrough(
  'reduceCopy.multimemReduceSumMultimemCopy',
  { fromAll: true, toAll: true },
);
