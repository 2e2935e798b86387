import type { DeviceFn } from '@nccl-ts/kernel';
import { options } from './impl/forms.ts';
import { reduceByMulticast } from './impl/move.ts';
import { reducePlaces, type ReducePlaces } from './impl/reduce-places.ts';
import type { ReduceCopyOptions } from './reduce-copy-options.ts';

/**
 * `lsaReduceMultimemCopy(coop, T, src, nSrc, dst, nDst, op, count)`: like `lsaReduceLsaCopy`, but
 * `dst(i)` returns multicast pointers. Regions of elements with less than 4 bytes must begin and
 * end there at multiples of 4 bytes.
 *
 * @see ncclLsaReduceMultimemCopy
 */
export const lsaReduceMultimemCopy: DeviceFn<ReducePlaces<ReduceCopyOptions>> = reducePlaces(
  'lsaReduceMultimemCopy',
  options,
  reduceByMulticast({ fromAll: false, toAll: true, symmetric: false }),
);
