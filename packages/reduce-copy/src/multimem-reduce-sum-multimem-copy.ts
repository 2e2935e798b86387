import type { DeviceFn } from '@nccl-ts/kernel';
import { sumThrough, type SumPlaces } from './impl/sum-places.ts';

/**
 * `multimemReduceSumMultimemCopy(coop, T, src, nSrc, dst, nDst, count)`: the sums of element `at` over all copies behind `nSrc`
 * multicast pointers are there at all copies behind `nDst` others; `src(i)` and `dst(i)` give them. What is more than one source is
 * added up in the accumulating type, the sums over copies as they come. Types and sizes are those of `multimemReduceSum`.
 *
 * @see ncclMultimemReduceSumMultimemCopy
 */
export const multimemReduceSumMultimemCopy: DeviceFn<SumPlaces> = sumThrough(
  'reduceCopy.multimemReduceSumMultimemCopy',
  { fromAll: true, toAll: true },
);
