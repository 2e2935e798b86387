import type { DeviceFn } from '@nccl-ts/kernel';
import { reduceByMulticast } from './impl/move.ts';
import { sumPlaces, type SumPlaces } from './impl/reduce-places.ts';

/**
 * `multimemReduceSumMultimemCopy(coop, T, src, nSrc, dst, nDst, count)`: sums element `at` over all
 * copies behind `nSrc` multicast pointers, and stores the sum to all copies behind `nDst` others.
 * `src(i)` and `dst(i)` return the pointers. Several sources are added in the accumulating type.
 * The sums over copies have the switch's own type. Types and sizes are those of
 * `multimemReduceSum`.
 *
 * @see ncclMultimemReduceSumMultimemCopy
 */
export const multimemReduceSumMultimemCopy: DeviceFn<SumPlaces> = sumPlaces(
  'multimemReduceSumMultimemCopy',
  reduceByMulticast({ fromAll: true, toAll: true, symmetric: false }),
);
