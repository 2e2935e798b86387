import type { DeviceFn } from '@nccl-ts/kernel';
import { options } from './impl/forms.ts';
import { reduceByMulticast } from './impl/move.ts';
import { reducePlaces, type ReducePlaces } from './impl/reduce-places.ts';
import type { ReduceCopyOptions } from './reduce-copy-options.ts';

/**
 * `lsaReduceMultimemCopy(coop, T, src, nSrc, dst, nDst, op, count)`: as `lsaReduceLsaCopy`, but
 * `dst(i)` returns multicast pointers. Elements of less than 4 bytes must begin and end at
 * multiples of 4 bytes there.
 *
 * @see ncclLsaReduceMultimemCopy
 */
export const lsaReduceMultimemCopy: DeviceFn<ReducePlaces<ReduceCopyOptions>> = reducePlaces(
  'lsaReduceMultimemCopy',
  options,
  reduceByMulticast({ fromAll: false, toAll: true, symmetric: false }),
);
