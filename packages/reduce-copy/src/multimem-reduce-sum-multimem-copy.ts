import type { DeviceFn } from '@nccl-ts/kernel';
import { reduceByMulticast } from './impl/move.ts';
import { sumPlaces, type SumPlaces } from './impl/reduce-places.ts';

/** @see {@link ReduceCopy.multimemReduceSumMultimemCopy} */
export const multimemReduceSumMultimemCopy: DeviceFn<SumPlaces> = sumPlaces(
  'multimemReduceSumMultimemCopy',
  reduceByMulticast({ fromAll: true, toAll: true, symmetric: false }),
);
