import { ResultCode, type MemoryOrder } from '@nccl-ts/core';
import { acquireOrder, releaseOrder, waitInTime, type GinBarrierHandle } from '@nccl-ts/devcomm';
import { deviceFn, type Coop, type DeviceFn } from '@nccl-ts/kernel';
import type { Team } from '@nccl-ts/topology';
import { signalInc } from '../actions.ts';
import { flush } from '../flush.ts';
import type { GinFence } from '../gin-fence.ts';
import { signal } from '../transfers.ts';
import { ginStruct, type GinParts } from './gin-struct.ts';
import { settle } from './read-word.ts';
import { hasReached } from './rolling.ts';
import { shadowWord, signalWord } from './state-words.ts';

/** `ncclTimeout` */
const TIMEOUT = ResultCode.Timeout;
/** The width of a barrier's counts. */
const BITS = 32;

/**
 * The state of a session. Barrier `index` of a team of R uses R signals from `signal0 + index * R`
 * on, one for each sender; `gin-barrier-phases.ts` has the other form.
 */
export interface GinBarrierState {
  net: GinParts;
  team: Team;
  handle: GinBarrierHandle;
  index: number;
  /** The first signal that is no more of these barriers. */
  limit: number;
  /** 1: over every context of the communicator. */
  allContexts: number;
}

/** The contexts that a barrier covers. */
export const contexts: DeviceFn<(self: GinBarrierState) => number> = deviceFn(
  { name: 'contexts' },
  ({ u32 }, self: GinBarrierState) => (self.allContexts === 1 ? self.net.comm.ginContextCount : u32(1)),
);

/** The context of step `step`, of which each context has `perContext`. */
export const contextOf: DeviceFn<(self: GinBarrierState, step: number, perContext: number) => GinParts> = deviceFn(
  { name: 'contextOf', use: { GinParts: ginStruct } },
  ({ GinParts, u32 }, self: GinBarrierState, step: number, perContext: number) =>
    GinParts({
      comm: self.net.comm,
      index: self.allContexts === 1 ? u32(step) / perContext : self.net.index,
      sharing: self.net.sharing,
    }),
);

/** The member for step `step`: the next one first, the calling rank last. */
export const memberOf: DeviceFn<(self: GinBarrierState, step: number, perContext: number) => number> = deviceFn(
  { name: 'memberOf' },
  ({ i32, u32 }, self: GinBarrierState, step: number, perContext: number) =>
    (self.team.rank + 1 + i32(u32(step) % perContext)) % self.team.nRanks,
);

/** Steps of one context: a put to oneself is covered by a signal to oneself. */
export const stepsPerContext: DeviceFn<(self: GinBarrierState, fence: GinFence) => number> = deviceFn(
  { name: 'stepsPerContext' },
  ({ u32 }, self: GinBarrierState, fence: GinFence) =>
    fence === 'put' || fence === 'putGet' ? u32(self.team.nRanks) : u32(self.team.nRanks) - 1,
);

const firstSignal: DeviceFn<(self: GinBarrierState) => number> = deviceFn(
  { name: 'firstSignal' },
  ({ u32 }, self: GinBarrierState) => self.handle.signal0 + self.index * u32(self.team.nRanks),
);

/** Tells the members of the team, and counts the signals that shall come from them. */
const arrive: DeviceFn<(self: GinBarrierState, coop: Coop, order: MemoryOrder, fence: GinFence) => void> = deviceFn(
  {
    name: 'arrive',
    use: {
      contexts,
      contextOf,
      memberOf,
      stepsPerContext,
      firstSignal,
      signal,
      signalInc,
      shadowWord,
      releaseOrder,
    },
  },
  (
    {
      contexts,
      contextOf,
      memberOf,
      stepsPerContext,
      firstSignal,
      signal,
      signalInc,
      shadowWord,
      releaseOrder,
      requires,
      fence,
      addr,
      u32,
    },
    self: GinBarrierState,
    coop: Coop,
    order: MemoryOrder,
    level: GinFence,
  ) => {
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
    coop.sync();
    fence(releaseOrder(order), 'system');
    const perContext = stepsPerContext(self, level);
    const mine = firstSignal(self) + u32(self.team.rank);
    for (let step = coop.threadRank(); step < contexts(self) * perContext; step += coop.size()) {
      const net = contextOf(self, step, perContext);
      const member = memberOf(self, step, perContext);
      // Whatever the fence: all syncs of a barrier count in one word, and that of the next one may
      // arrive first.
      signal(net, self.team, member, signalInc(mine));
      const shadow = shadowWord(net, firstSignal(self) + u32(member));
      shadow.store(0, shadow.load(0) + 1);
    }
    coop.sync();
  },
);

/** The work after all signals have arrived. */
const finish: DeviceFn<(self: GinBarrierState, coop: Coop, order: MemoryOrder, fence: GinFence) => void> = deviceFn(
  {
    name: 'finish',
    use: {
      contexts,
      contextOf,
      memberOf,
      stepsPerContext,
      firstSignal,
      signalWord,
      settle,
      flush,
      acquireOrder,
      GinParts: ginStruct,
    },
  },
  (
    {
      contexts,
      contextOf,
      memberOf,
      stepsPerContext,
      firstSignal,
      signalWord,
      settle,
      flush,
      acquireOrder,
      GinParts,
      u32,
    },
    self: GinBarrierState,
    coop: Coop,
    order: MemoryOrder,
    fence: GinFence,
  ) => {
    const perContext = stepsPerContext(self, fence);
    // Only a fence of puts promises the events that the signals cover.
    if (fence === 'put' || fence === 'putGet') {
      for (let step = coop.threadRank(); step < contexts(self) * perContext; step += coop.size()) {
        const net = contextOf(self, step, perContext);
        settle(signalWord(net, firstSignal(self) + u32(memberOf(self, step, perContext))), order);
      }
    }
    if (fence === 'get' || fence === 'putGet') {
      for (let i = u32(0); i < contexts(self); i++) {
        const index = self.allContexts === 1 ? i : self.net.index;
        flush(GinParts({ comm: self.net.comm, index, sharing: self.net.sharing }), coop, acquireOrder(order));
      }
    }
    coop.sync();
  },
);

/** True if the signal of step `step` has arrived. */
const hasArrived: DeviceFn<(self: GinBarrierState, step: number, perContext: number, order: MemoryOrder) => boolean> =
  deviceFn(
    {
      name: 'hasArrived',
      use: {
        contextOf,
        memberOf,
        firstSignal,
        wordOf: signalWord,
        shadowOf: shadowWord,
        hasReached,
        acquireOrder,
        BITS,
      },
    },
    (
      { contextOf, memberOf, firstSignal, wordOf, shadowOf, hasReached, acquireOrder, BITS, u32 },
      self: GinBarrierState,
      step: number,
      perContext: number,
      order: MemoryOrder,
    ) => {
      const net = contextOf(self, step, perContext);
      const signal = firstSignal(self) + u32(memberOf(self, step, perContext));
      return hasReached(
        wordOf(net, signal).load(0, acquireOrder(order), 'system'),
        shadowOf(net, signal).load(0),
        u32(BITS),
      );
    },
  );

export const syncByPeers: DeviceFn<(self: GinBarrierState, coop: Coop, order: MemoryOrder, fence: GinFence) => void> =
  deviceFn(
    { name: 'syncByPeers', use: { arrive, finish, hasArrived, contexts, stepsPerContext } },
    (
      { arrive, finish, hasArrived, contexts, stepsPerContext },
      self: GinBarrierState,
      coop: Coop,
      order: MemoryOrder,
      fence: GinFence,
    ) => {
      arrive(self, coop, order, fence);
      const perContext = stepsPerContext(self, fence);
      coop.waitAll(contexts(self) * perContext, (step) => hasArrived(self, step, perContext, order));
      finish(self, coop, order, fence);
    },
  );

/** Every thread has its own clock, as in NCCL, and waits for its share of the members. */
export const syncByPeersOrTimeOut: DeviceFn<
  (self: GinBarrierState, coop: Coop, order: MemoryOrder, fence: GinFence, timeoutCycles: number) => number
> = deviceFn(
  { name: 'syncByPeersOrTimeOut', use: { arrive, finish, hasArrived, contexts, stepsPerContext, waitInTime, TIMEOUT } },
  (
    { arrive, finish, hasArrived, contexts, stepsPerContext, waitInTime, TIMEOUT, clock, u32 },
    self: GinBarrierState,
    coop: Coop,
    order: MemoryOrder,
    fence: GinFence,
    timeoutCycles: number,
  ) => {
    arrive(self, coop, order, fence);
    const start = clock();
    const perContext = stepsPerContext(self, fence);
    let result = u32(0);
    for (let step = coop.threadRank(); step < contexts(self) * perContext; step += coop.size()) {
      if (!waitInTime(() => hasArrived(self, step, perContext, order), start, timeoutCycles)) {
        result = u32(TIMEOUT);
        break;
      }
    }
    finish(self, coop, order, fence);
    return result;
  },
);
