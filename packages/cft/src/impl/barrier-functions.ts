import { ResultCode, type MemoryOrder, type MemoryProxy } from '@nccl-ts/core';
import { acquireOrder, releaseOrder, resourceLocalPointer, waitInTime } from '@nccl-ts/devcomm';
import { deviceFn, type Coop, type DeviceFn } from '@nccl-ts/kernel';
import { memFence } from '../mem-fence.ts';
import type { CftBarrierState } from './barrier-state.ts';
import { arriveAt } from './primitives.ts';

/** `ncclTimeout` */
const TIMEOUT = ResultCode.Timeout;

/** The unit of resource handles, in bytes. */
const UNIT = 128;

/** The word that counts the arrivals of member `from`, or those over a multicast endpoint. */
const inbox: DeviceFn<(self: CftBarrierState, from: number) => number> = deviceFn(
  { name: 'inbox' },
  ({ u32 }, self, from) => {
    const count = u32(self.handle.nBarriers);
    return self.multimem ? count + self.index : 2 * count + self.index * u32(self.team.nRanks) + u32(from);
  },
);

/** The number of words that a wait reads, and the arrivals that each counts for one barrier. */
const words: DeviceFn<(self: CftBarrierState) => number> = deviceFn({ name: 'words' }, ({ i32 }, self) =>
  self.multimem ? i32(1) : self.team.nRanks - 1,
);
const step: DeviceFn<(self: CftBarrierState) => number> = deviceFn({ name: 'step' }, ({ u32 }, self) =>
  self.multimem ? u32(self.team.nRanks) : u32(1),
);

/** The other member of the team at place `i`. */
const other: DeviceFn<(self: CftBarrierState, i: number) => number> = deviceFn(
  { name: 'other' },
  ({ i32 }, self, i) => (self.team.rank + 1 + i32(i)) % self.team.nRanks,
);

/** True if the word has counted the arrivals at the barrier that this session is at. */
const hasArrived: DeviceFn<(self: CftBarrierState, i: number) => boolean> = deviceFn(
  { name: 'hasArrived', use: { inbox, other, step, resourceLocalPointer } },
  ({ inbox, other, step, resourceLocalPointer, u32 }, self, i) => {
    const counts = resourceLocalPointer(self.comm, u32, self.handle.bufHandle);
    const counted = counts.load(inbox(self, other(self, i)), 'relaxed', 'system');
    return counted - (self.epoch + step(self)) <= 0x7fffffff;
  },
);

/** The arguments of every method. */
export interface CftBarrierCall {
  readonly coop: Coop;
  readonly order: MemoryOrder;
  readonly producer: MemoryProxy;
  readonly consumer: MemoryProxy;
}

/** The group meets, and its first thread releases and signals the members. */
export const arrive: DeviceFn<(self: CftBarrierState, call: CftBarrierCall) => void> = deviceFn(
  { name: 'arrive', use: { inbox, other, arriveAt, releaseOrder, UNIT } },
  ({ inbox, other, arriveAt, releaseOrder, UNIT, fenceProxy, addr }, self, { coop, order, producer, consumer }) => {
    coop.sync();
    if (coop.threadRank() === 0) {
      fenceProxy('fabric', producer, consumer, releaseOrder(order), 'system');
      const first = self.multimem ? self.comm.rank - self.team.rank : 0;
      const place = addr(self.handle.bufHandle) * UNIT + addr(inbox(self, self.team.rank)) * 4;
      const count = self.multimem ? self.team.nRanks : self.team.nRanks - 1;
      for (let i = 0; i < count; i++) {
        arriveAt(self.comm.resourceWindow, place, first + other(self, i));
      }
    }
  },
);

/**
 * The first thread waits for all members; then one fence acquires for the group. With
 * `timeoutCycles` it waits for at most so many cycles. A thread other than the first then returns
 * 0, as in NCCL.
 */
export const wait: DeviceFn<
  (self: CftBarrierState, call: CftBarrierCall, timeoutCycles?: number) => number | undefined
> = deviceFn(
  { name: 'wait', use: { words, step, hasArrived, memFence, acquireOrder, waitInTime, TIMEOUT } },
  ({ words, step, hasArrived, memFence, acquireOrder, waitInTime, TIMEOUT, clock, u32 }, self, call, timeoutCycles) => {
    const { coop, order, producer, consumer } = call;
    if (timeoutCycles === undefined) {
      for (let i = 0; i < words(self); i++) coop.waitAll(1, (_only) => hasArrived(self, i));
      self.epoch = self.epoch + step(self);
      coop.sync();
      memFence(coop, acquireOrder(order), producer, consumer, 'system');
      return undefined;
    }
    const start = clock();
    let result = u32(0);
    if (coop.threadRank() === 0) {
      for (let i = 0; i < words(self); i++) {
        if (!waitInTime(() => hasArrived(self, i), start, timeoutCycles)) {
          result = u32(TIMEOUT);
          break;
        }
      }
    }
    if (result === 0) self.epoch = self.epoch + step(self);
    coop.sync();
    memFence(coop, acquireOrder(order), producer, consumer, 'system');
    return result;
  },
);
