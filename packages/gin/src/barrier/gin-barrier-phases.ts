import { ResultCode, type MemoryOrder } from '@nccl-ts/core';
import { acquireOrder, waitInTime } from '@nccl-ts/devcomm';
import { deviceFn, type Coop, type DeviceFn } from '@nccl-ts/kernel';
import { signalInc } from '../actions.ts';
import type { GinFence } from '../gin-module.ts';
import { barrierSignal } from '../transfers.ts';
import { barrierFrame, COUNT_BITS } from './gin-barrier-frame.ts';
import type { GinBarrierState, GinBarrierStep, TimedGinBarrier } from './gin-barrier-state.ts';
import type { GinParts } from '../impl/gin-struct.ts';
import { settle } from '../impl/read-word.ts';
import { hasReached } from '../impl/rolling.ts';
import { shadowWord, signalWord } from '../impl/state-words.ts';

/*
 * The barrier for networks with few signals. Barrier `index` uses two signals alternately. Each
 * rank adds one to the same signal of each member, and waits until its own has all additions. A
 * rank that is already in the next sync adds to the other signal. The shadow of the first signal
 * has the count so far and, in its highest bit, which signal is next. The shadow of the second has
 * the other count.
 */

/** `ncclTimeout` */
const TIMEOUT = ResultCode.Timeout;
/** The bit of the first shadow that says which signal is next. */
const TURN_BIT = 63;

const firstOf: DeviceFn<(self: GinBarrierState) => number> = deviceFn(
  { name: 'firstOf' },
  ({ u32 }, self) => u32(self.handle.signal0) + self.index * 2,
);

/** Returns the signal that is next in a context: 0 or 1. */
const turnOf: DeviceFn<(self: GinBarrierState, net: GinParts) => number> = deviceFn(
  { name: 'turnOf', use: { firstOf, shadowWord, TURN_BIT } },
  ({ firstOf, shadowWord, TURN_BIT, u32, u64 }, self, net) =>
    u32(shadowWord(net, firstOf(self)).load(0) >> u64(TURN_BIT)),
);

/** Returns the count that the next signal has once all have arrived. */
const awaited: DeviceFn<(self: GinBarrierState, net: GinParts, turn: number, arrivals: number) => number> = deviceFn(
  { name: 'awaited', use: { firstOf, shadowWord } },
  ({ firstOf, shadowWord, u32 }, self, net, turn, arrivals) =>
    u32(shadowWord(net, firstOf(self) + turn).load(0)) + arrivals,
);

/** Returns context number `i` of those that the barrier covers. */
const coveredContext: DeviceFn<(self: GinBarrierState, i: number) => GinParts> = deviceFn(
  { name: 'coveredContext', use: { frame: barrierFrame } },
  ({ frame, u32 }, self, i) => frame.contextOf(self, i, u32(1)),
);

/** Adds one to a signal of each member. */
const arrive: GinBarrierStep = deviceFn(
  { name: 'arriveInTurn', use: { frame: barrierFrame, firstOf, turnOf, barrierSignal, signalInc } },
  ({ frame, firstOf, turnOf, barrierSignal, signalInc, requires, addr, u32 }, self, coop, order, fence) => {
    requires(
      addr(self.handle.signal0) + (addr(self.index) + 1) * addr(2) <= addr(self.limit),
      'GIN barrier index {}, but there are signals for {} barriers of 2 signals: ask for more by worldGinBarrierCount, railGinBarrierCount or barrierCount of createDevComm',
      self.index,
      (self.limit - u32(self.handle.signal0)) / u32(2),
    );
    frame.publish(coop, order);
    const perContext = frame.stepsPerContext(self, fence);
    for (let step = coop.threadRank(); step < frame.contexts(self) * perContext; step += coop.size()) {
      const net = frame.contextOf(self, step, perContext);
      barrierSignal(
        net,
        self.team,
        frame.memberOf(self, step, perContext),
        signalInc(firstOf(self) + turnOf(self, net)),
        { givenRelease: frame.given(order) },
      );
    }
  },
);

/** True if all have arrived in a context. */
const haveArrived = deviceFn(
  {
    name: 'haveArrived',
    use: { coveredContext, firstOf, turnOf, awaited, signalWord, hasReached, acquireOrder, COUNT_BITS },
  },
  (
    { coveredContext, firstOf, turnOf, awaited, signalWord, hasReached, acquireOrder, COUNT_BITS, u32, u64 },
    self: GinBarrierState,
    i: number,
    arrivals: number,
    order: MemoryOrder,
  ) => {
    const net = coveredContext(self, i);
    const turn = turnOf(self, net);
    return hasReached(
      signalWord(net, firstOf(self) + turn).load(0, acquireOrder(order), 'system'),
      u64(awaited(self, net, turn, arrivals)),
      u32(COUNT_BITS),
    );
  },
);

/** Completes a sync after all have arrived, or, with `late`, after a thread has given up. */
const finish = deviceFn(
  {
    name: 'finishTurn',
    use: { frame: barrierFrame, coveredContext, firstOf, turnOf, awaited, signalWord, shadowWord, settle, TURN_BIT },
  },
  (
    { frame, coveredContext, firstOf, turnOf, awaited, signalWord, shadowWord, settle, TURN_BIT, u64 },
    self: GinBarrierState,
    coop: Coop,
    order: MemoryOrder,
    fence: GinFence,
    late: number,
  ) => {
    const arrivals = frame.stepsPerContext(self, fence);
    // Only a fence of puts guarantees the events that the signals cover.
    if (fence === 'put' || fence === 'putGet') {
      for (let i = coop.threadRank(); i < frame.contexts(self); i += coop.size()) {
        const net = coveredContext(self, i);
        settle(signalWord(net, firstOf(self) + turnOf(self, net)), order);
      }
    }
    frame.finish(self, coop, order, fence);
    // Every thread has read which signal is next. After a time-out it does not change, and the
    // barrier is out of step.
    if (late === 0) {
      for (let i = coop.threadRank(); i < frame.contexts(self); i += coop.size()) {
        const net = coveredContext(self, i);
        const first = shadowWord(net, firstOf(self));
        const turn = turnOf(self, net);
        const count = awaited(self, net, turn, arrivals);
        if (turn === 0) first.store(0, (u64(1) << u64(TURN_BIT)) | u64(count));
        else {
          shadowWord(net, firstOf(self) + 1).store(0, u64(count));
          first.store(0, first.load(0) & ~(u64(1) << u64(TURN_BIT)));
        }
      }
    }
  },
);

export const syncInTurns: GinBarrierStep = deviceFn(
  { name: 'syncInTurns', use: { frame: barrierFrame, arrive, finish, haveArrived } },
  ({ frame, arrive, finish, haveArrived, u32 }, self, coop, order, fence) => {
    arrive(self, coop, order, fence);
    const arrivals = frame.stepsPerContext(self, fence);
    coop.waitAll(frame.contexts(self), (i) => haveArrived(self, i, arrivals, order));
    finish(self, coop, order, fence, u32(0));
  },
);

/** As in NCCL, one thread waits for each context, so only that thread learns that it gave up. */
export const syncInTurnsOrTimeOut: TimedGinBarrier = deviceFn(
  {
    name: 'syncInTurnsOrTimeOut',
    use: { frame: barrierFrame, arrive, finish, haveArrived, waitInTime, TIMEOUT },
  },
  (
    { frame, arrive, finish, haveArrived, waitInTime, TIMEOUT, clock, u32 },
    self,
    coop,
    order,
    fence,
    timeoutCycles,
  ) => {
    arrive(self, coop, order, fence);
    const start = clock();
    const arrivals = frame.stepsPerContext(self, fence);
    let outcome = u32(0);
    for (let i = coop.threadRank(); i < frame.contexts(self); i += coop.size()) {
      if (!waitInTime(() => haveArrived(self, i, arrivals, order), start, timeoutCycles)) outcome = u32(TIMEOUT);
    }
    finish(self, coop, order, fence, outcome);
    return outcome;
  },
);
