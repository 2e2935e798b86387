import { ResultCode, type MemoryOrder } from '@nccl-ts/core';
import { acquireOrder, waitInTime } from '@nccl-ts/devcomm';
import { deviceFn } from '@nccl-ts/kernel';
import { signalInc } from '../actions.ts';
import { barrierSignal } from '../transfers.ts';
import { barrierFrame, COUNT_BITS } from './gin-barrier-frame.ts';
import type { GinBarrierState, GinBarrierStep, TimedGinBarrier } from './gin-barrier-state.ts';
import { settle } from '../impl/read-word.ts';
import { hasReached } from '../impl/rolling.ts';
import { shadowWord, signalWord } from '../impl/state-words.ts';

/*
 * The barrier for networks with enough signals. Barrier `index` of a team of R uses R signals,
 * starting at `signal0 + index * R`, one for each sender. `gin-barrier-phases.ts` has the other
 * form.
 */

/** `ncclTimeout` */
const TIMEOUT = ResultCode.Timeout;

const firstSignal = deviceFn(
  { name: 'firstSignal' },
  ({ u32 }, self: GinBarrierState) => self.handle.signal0 + self.index * u32(self.team.nRanks),
);

/** Signals the members of the team, and counts the signals that they must send. */
const arrive: GinBarrierStep = deviceFn(
  { name: 'arrive', use: { frame: barrierFrame, firstSignal, barrierSignal, signalInc, shadowWord } },
  ({ frame, firstSignal, barrierSignal, signalInc, shadowWord, requires, addr, u32 }, self, coop, order, fence) => {
    requires(
      addr(self.handle.signal0) + (addr(self.index) + 1) * addr(self.team.nRanks) <= addr(self.limit),
      'GIN barrier index {}, but there are signals for {} barriers of {} ranks: ask for more by worldGinBarrierCount, railGinBarrierCount or barrierCount of createDevComm',
      self.index,
      (self.limit - u32(self.handle.signal0)) / u32(self.team.nRanks),
      self.team.nRanks,
    );
    requires(
      u32(self.team.nRanks) <= coop.size() + 1,
      'a GIN barrier of {} ranks takes {} threads, and this group has {}: with fewer, ranks wait for each other in a ring',
      self.team.nRanks,
      self.team.nRanks - 1,
      coop.size(),
    );
    frame.publish(coop, order);
    const perContext = frame.stepsPerContext(self, fence);
    const mine = firstSignal(self) + u32(self.team.rank);
    for (let step = coop.threadRank(); step < frame.contexts(self) * perContext; step += coop.size()) {
      const net = frame.contextOf(self, step, perContext);
      const member = frame.memberOf(self, step, perContext);
      // Independent of the fence: all syncs of a barrier count in one word, and the signal of the
      // next one may arrive first.
      barrierSignal(net, self.team, member, signalInc(mine), { givenRelease: frame.given(order) });
      const shadow = shadowWord(net, firstSignal(self) + u32(member));
      shadow.store(0, shadow.load(0) + 1);
    }
    coop.sync();
  },
);

/** Completes a sync after all signals have arrived. */
const finish: GinBarrierStep = deviceFn(
  { name: 'finish', use: { frame: barrierFrame, firstSignal, signalWord, settle } },
  ({ frame, firstSignal, signalWord, settle, u32 }, self, coop, order, fence) => {
    const perContext = frame.stepsPerContext(self, fence);
    // Only a fence of puts guarantees the events that the signals cover.
    if (fence === 'put' || fence === 'putGet') {
      for (let step = coop.threadRank(); step < frame.contexts(self) * perContext; step += coop.size()) {
        const net = frame.contextOf(self, step, perContext);
        settle(signalWord(net, firstSignal(self) + u32(frame.memberOf(self, step, perContext))), order);
      }
    }
    frame.finish(self, coop, order, fence);
  },
);

/** True if the signal of step `step` has arrived. */
const hasArrived = deviceFn(
  {
    name: 'hasArrived',
    use: { frame: barrierFrame, firstSignal, signalWord, shadowWord, hasReached, acquireOrder, COUNT_BITS },
  },
  (
    { frame, firstSignal, signalWord, shadowWord, hasReached, acquireOrder, COUNT_BITS, u32 },
    self: GinBarrierState,
    step: number,
    perContext: number,
    order: MemoryOrder,
  ) => {
    const net = frame.contextOf(self, step, perContext);
    const signal = firstSignal(self) + u32(frame.memberOf(self, step, perContext));
    return hasReached(
      signalWord(net, signal).load(0, acquireOrder(order), 'system'),
      shadowWord(net, signal).load(0),
      u32(COUNT_BITS),
    );
  },
);

export const syncByPeers: GinBarrierStep = deviceFn(
  { name: 'syncByPeers', use: { frame: barrierFrame, arrive, finish, hasArrived } },
  ({ frame, arrive, finish, hasArrived }, self, coop, order, fence) => {
    arrive(self, coop, order, fence);
    const perContext = frame.stepsPerContext(self, fence);
    coop.waitAll(frame.contexts(self) * perContext, (step) => hasArrived(self, step, perContext, order));
    finish(self, coop, order, fence);
  },
);

/** Every thread has its own clock, as in NCCL, and waits for its share of the members. */
export const syncByPeersOrTimeOut: TimedGinBarrier = deviceFn(
  { name: 'syncByPeersOrTimeOut', use: { frame: barrierFrame, arrive, finish, hasArrived, waitInTime, TIMEOUT } },
  ({ frame, arrive, finish, hasArrived, waitInTime, TIMEOUT, clock, u32 }, self, coop, order, fence, timeoutCycles) => {
    arrive(self, coop, order, fence);
    const start = clock();
    const perContext = frame.stepsPerContext(self, fence);
    let result = u32(0);
    for (let step = coop.threadRank(); step < frame.contexts(self) * perContext; step += coop.size()) {
      if (!waitInTime(() => hasArrived(self, step, perContext, order), start, timeoutCycles)) {
        result = u32(TIMEOUT);
        break;
      }
    }
    finish(self, coop, order, fence);
    return result;
  },
);
