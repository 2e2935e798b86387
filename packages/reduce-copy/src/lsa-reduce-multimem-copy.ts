import type { DeviceFn } from '@nccl-ts/kernel';
import { options } from './impl/forms.ts';
import { reduceByMulticast } from './impl/move.ts';
import { reducePlaces, type ReducePlaces } from './impl/reduce-places.ts';
import type { ReduceCopyOptions } from './reduce-copy-options.ts';

/** @see {@link ReduceCopy.lsaReduceMultimemCopy} */
export const lsaReduceMultimemCopy: DeviceFn<ReducePlaces<ReduceCopyOptions>> = reducePlaces(
  'lsaReduceMultimemCopy',
  options,
  reduceByMulticast({ fromAll: false, toAll: true, symmetric: false }),
);
