import type { DeviceFn } from '@nccl-ts/kernel';
import { reduceOptions } from './impl/forms.ts';
import { reduce, reduceChanged } from './impl/move.ts';
import { reducePlaces, sumPlaces, type ReducePlaces, type SumPlaces } from './impl/reduce-places.ts';
import type { ReduceOptions } from './reduce-copy-options.ts';

/** @see {@link ReduceCopy.lsaReduceLsaCopy} */
export const lsaReduceLsaCopy: DeviceFn<ReducePlaces<ReduceOptions>> = reducePlaces(
  'lsaReduceLsaCopy',
  reduceOptions,
  reduceChanged,
);

/** @see {@link ReduceCopy.lsaReduceSumLsaCopy} */
export const lsaReduceSumLsaCopy: DeviceFn<SumPlaces> = sumPlaces('lsaReduceSumLsaCopy', reduce({ symmetric: false }));
