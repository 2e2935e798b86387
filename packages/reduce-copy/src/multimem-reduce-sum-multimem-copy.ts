import type { DeviceFn } from '@nccl-ts/kernel';
import { reduceByMulticast } from './impl/move.ts';
import { sumEach, type SumEach } from './impl/reduce-each.ts';

/** Implements {@link ReduceCopy.multimemReduceSumMultimemCopy}. */
export const multimemReduceSumMultimemCopy: DeviceFn<SumEach> = sumEach(
  'multimemReduceSumMultimemCopy',
  reduceByMulticast({ fromAll: true, toAll: true, symmetric: false }),
);
