import type { DeviceFn } from '@nccl-ts/kernel';
import { sumThrough, type SumPlaces } from './sum-places.ts';

/** Sums of ordinary places, to multicast addresses. */
export const sumPlacesToAll: DeviceFn<SumPlaces> = sumThrough('reduceCopy.sumPlacesToAll', {
  fromAll: false,
  toAll: true,
});

/** Sums over multicast addresses, to ordinary places. */
export const sumOfAllToPlaces: DeviceFn<SumPlaces> = sumThrough('reduceCopy.sumOfAllToPlaces', {
  fromAll: true,
  toAll: false,
});
