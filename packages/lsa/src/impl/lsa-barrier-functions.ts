import { ResultCode, type MemoryOrder } from '@nccl-ts/core';
import {
  acquireOrder,
  releaseOrder,
  resourceLocalPointer,
  resourceLsaPointer,
  teamRankToLsa,
  waitInTime,
} from '@nccl-ts/devcomm';
import { deviceFn, type Coop, type DeviceFn } from '@nccl-ts/kernel';
import { arriveByMulticast, waitForArrivals, waitForArrivalsOrTimeOut } from './lsa-barrier-multimem.ts';
import type { LsaBarrierState } from './lsa-barrier-state.ts';

/** `ncclTimeout` */
const TIMEOUT = ResultCode.Timeout;

/** The offset of the rank's saved epoch, in words of the barrier's buffer. */
export const savedEpoch: DeviceFn<(self: LsaBarrierState) => number> = deviceFn(
  { name: 'savedEpoch' },
  ({ u32 }, self) => (self.multimem ? self.index : u32(self.handle.nBarriers) + self.index),
);

/** The other member of the team at step `i`. Each rank begins with a different one. */
const otherMember: DeviceFn<(self: LsaBarrierState, i: number) => number> = deviceFn(
  { name: 'otherMember' },
  ({ i32 }, self, i) => (self.team.rank + 1 + i32(i)) % self.team.nRanks,
);

/**
 * The offset of team member `from`'s word in the inbox of team member `member`, in words of the
 * barrier's buffer.
 */
const inboxWord: DeviceFn<(self: LsaBarrierState, from: number) => number> = deviceFn(
  { name: 'inboxWord' },
  ({ u32 }, self, from) => 3 * u32(self.handle.nBarriers) + self.index * u32(self.team.nRanks) + u32(from),
);

/** True if team member `member` has arrived at the epoch that this session waits for. */
const hasArrived: DeviceFn<(self: LsaBarrierState, member: number, order: MemoryOrder) => boolean> = deviceFn(
  { name: 'hasArrived', use: { inboxWord, resourceLocalPointer, acquireOrder } },
  ({ inboxWord, resourceLocalPointer, acquireOrder, u32 }, self, member, order) => {
    const inbox = resourceLocalPointer(self.comm, u32, self.handle.bufHandle);
    const posted = inbox.load(inboxWord(self, member), acquireOrder(order), 'system');
    return posted - (self.epoch + 1) <= 0x7fffffff;
  },
);

export const arriveAt: DeviceFn<(self: LsaBarrierState, coop: Coop, order: MemoryOrder) => void> = deviceFn(
  {
    name: 'arriveAt',
    use: { otherMember, inboxWord, resourceLsaPointer, teamRankToLsa, releaseOrder, arriveByMulticast },
  },
  (
    { otherMember, inboxWord, resourceLsaPointer, teamRankToLsa, releaseOrder, arriveByMulticast, fence, u32 },
    self,
    coop,
    order,
  ) => {
    coop.sync();
    if (self.multimem) arriveByMulticast(self, coop, order);
    else if (self.team.nRanks > 1) {
      fence(releaseOrder(order), 'system');
      for (let i = coop.threadRank(); i < self.team.nRanks - 1; i += coop.size()) {
        const peer = teamRankToLsa(self.comm, self.team, otherMember(self, i));
        const inbox = resourceLsaPointer(self.comm, u32, self.handle.bufHandle, peer);
        inbox.store(inboxWord(self, self.team.rank), self.epoch + 1, 'relaxed', 'system');
      }
    }
  },
);

export const waitAt: DeviceFn<(self: LsaBarrierState, coop: Coop, order: MemoryOrder) => void> = deviceFn(
  { name: 'waitAt', use: { otherMember, hasArrived, waitForArrivals } },
  ({ otherMember, hasArrived, waitForArrivals }, self, coop, order) => {
    if (self.multimem) waitForArrivals(self, coop, order);
    else {
      coop.waitAll(self.team.nRanks - 1, (i) => hasArrived(self, otherMember(self, i), order));
      self.epoch += 1;
    }
    coop.sync();
  },
);

/** As in NCCL, every thread has its own clock. A thread that times out keeps the old epoch. */
export const waitAtOrTimeOut: DeviceFn<
  (self: LsaBarrierState, coop: Coop, order: MemoryOrder, timeoutCycles: number) => number
> = deviceFn(
  { name: 'waitAtOrTimeOut', use: { otherMember, hasArrived, waitForArrivalsOrTimeOut, waitInTime, TIMEOUT } },
  (
    { otherMember, hasArrived, waitForArrivalsOrTimeOut, waitInTime, TIMEOUT, clock, u32 },
    self,
    coop,
    order,
    timeoutCycles,
  ) => {
    coop.sync();
    const start = clock();
    let result = u32(0);
    if (self.multimem) {
      if (waitForArrivalsOrTimeOut(self, coop, order, start, timeoutCycles)) result = u32(TIMEOUT);
      coop.sync();
      return result;
    }
    for (let i = coop.threadRank(); i < self.team.nRanks - 1; i += coop.size()) {
      const member = otherMember(self, i);
      if (!waitInTime(() => hasArrived(self, member, order), start, timeoutCycles)) {
        result = u32(TIMEOUT);
        break;
      }
    }
    if (result === 0) self.epoch += 1;
    coop.sync();
    return result;
  },
);
