import type { MemoryOrder } from '@nccl-ts/core';
import {
  acquireOrder,
  multicastAdd,
  releaseOrder,
  resourceLocalPointer,
  resourceMultimemPointer,
  waitInTime,
} from '@nccl-ts/devcomm';
import { deviceFn, type Coop, type DeviceFn } from '@nccl-ts/kernel';
import type { LsaBarrierState } from './lsa-barrier-state.ts';

/**
 * The offset of the word in which each rank counts arrivals, including its own, in words of the
 * barrier's buffer.
 */
const arrivals: DeviceFn<(self: LsaBarrierState) => number> = deviceFn(
  { name: 'arrivals' },
  ({ u32 }, self) => 2 * u32(self.handle.nBarriers) + self.index,
);

/**
 * True if every member has arrived at this session's current barrier. The epoch counts arrivals.
 */
const haveAllArrived: DeviceFn<(self: LsaBarrierState, order: MemoryOrder) => boolean> = deviceFn(
  { name: 'haveAllArrived', use: { arrivals, resourceLocalPointer, acquireOrder } },
  ({ arrivals, resourceLocalPointer, acquireOrder, u32 }, self, order) => {
    const words = resourceLocalPointer(self.comm, u32, self.handle.bufHandle);
    const counted = words.load(arrivals(self), acquireOrder(order), 'system');
    return counted - (self.epoch + u32(self.team.nRanks)) <= 0x7fffffff;
  },
);

/**
 * One addition signals every rank, including the calling one. The group has synchronized, so the
 * thread acts for all of them.
 */
export const arriveByMulticast: DeviceFn<(self: LsaBarrierState, coop: Coop, order: MemoryOrder) => void> = deviceFn(
  { name: 'arriveByMulticast', use: { arrivals, multicastAdd, resourceMultimemPointer, releaseOrder } },
  ({ arrivals, multicastAdd, resourceMultimemPointer, releaseOrder, fence, u32 }, self, coop, order) => {
    if (coop.threadRank() === 0) {
      const counters = resourceMultimemPointer(self.comm, u32, self.handle.bufHandle, self.mmHandle);
      // An addition cannot be sequentially consistent, but a fence before it can.
      if (releaseOrder(order) === 'seq_cst') fence('seq_cst', 'system');
      multicastAdd(counters.offset(arrivals(self)), 1, releaseOrder(order) === 'relaxed' ? 'relaxed' : 'release');
    }
  },
);

/** One thread waits for the group, which synchronizes afterwards. */
export const waitForArrivals: DeviceFn<(self: LsaBarrierState, coop: Coop, order: MemoryOrder) => void> = deviceFn(
  { name: 'waitForArrivals', use: { haveAllArrived } },
  ({ haveAllArrived, u32 }, self, coop, order) => {
    coop.waitAll(1, (_only) => haveAllArrived(self, order));
    self.epoch += u32(self.team.nRanks);
  },
);

/**
 * True if the first thread, which waits for the group, has waited for `timeoutCycles` since
 * `start`.
 */
export const waitForArrivalsOrTimeOut: DeviceFn<
  (self: LsaBarrierState, coop: Coop, order: MemoryOrder, start: number, timeoutCycles: number) => boolean
> = deviceFn(
  { name: 'waitForArrivalsOrTimeOut', use: { haveAllArrived, waitInTime } },
  ({ haveAllArrived, waitInTime, u32 }, self, coop, order, start, timeoutCycles) => {
    let isLate = false;
    if (coop.threadRank() === 0) isLate = !waitInTime(() => haveAllArrived(self, order), start, timeoutCycles);
    if (!isLate) self.epoch += u32(self.team.nRanks);
    return isLate;
  },
);
