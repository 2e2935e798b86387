import { memoryOrders, type MemoryOrder } from '@nccl-ts/core';
import {
  devComm,
  lsaBarrierHandle,
  multimemHandle,
  resourceLocalPointer,
  team,
  teamLsa,
  type DevComm,
  type LsaBarrierHandle,
  type MultimemHandle,
} from '@nccl-ts/devcomm';
import type { Team } from '@nccl-ts/topology';
import { deviceSession, u32, u64, type Context, type Coop, type CoopLike, type DeviceFn } from '@nccl-ts/kernel';
import { arriveAt, savedEpoch, waitAt, waitAtOrTimeOut } from './impl/lsa-barrier-functions.ts';
import type { LsaBarrierState } from './impl/lsa-barrier-state.ts';

/** Options of a barrier session. */
export interface LsaBarrierOptions {
  /** The ranks that take part, all in one LSA domain. @default the LSA team */
  readonly team?: Team;
  /**
   * The handle of the barriers' state, from `lsaBarrierCreateRequirement`.
   *
   * @default the communicator's own barriers
   */
  readonly handle?: LsaBarrierHandle;
  /**
   * True to arrive by one addition to a multicast address, instead of a store to each rank. A
   * constant, which must be the same on all ranks. The two modes have separate counters and epochs,
   * so a rank in the other mode would wait forever.
   *
   * @default false
   */
  readonly multimem?: boolean;
  /**
   * The multimem handle of `team`: one of `multimemHandles`.
   *
   * @default that of the LSA team, `lsaMultimem`
   */
  readonly mmHandle?: MultimemHandle;
}

/**
 * A barrier over the CTAs of several ranks that use the same `index`.
 *
 * Every thread of `coop` must make each call, and every rank of the team must make the same calls.
 * The session reads its epoch when it is made, and saves it when its block ends. Two live sessions
 * of one index on one rank, or an `arrive` without its `wait`, leave the epoch wrong. GPUs do not
 * detect that. An index of `nBarriers` or more overwrites other state on GPUs. The simulator
 * reports it.
 *
 * @see ncclLsaBarrierSession
 */
export interface LsaBarrierSession {
  /**
   * Signals the other ranks. If `order` has a release half, earlier writes of any thread of `coop`
   * are visible to ranks that wait with acquire order.
   */
  arrive(coop: CoopLike, order: MemoryOrder): void;
  /**
   * Returns when every rank of the team has arrived. If `order` has an acquire half, their released
   * writes are visible to all threads of `coop`. The wait does not order network operations.
   */
  wait(coop: CoopLike, order: MemoryOrder): void;
  /**
   * Like the other form, but gives up after `timeoutCycles`. Returns 0, or `ResultCode.Timeout`
   * (8). Threads may get different results. After a time-out the barrier's epoch is undefined.
   */
  wait(coop: CoopLike, order: MemoryOrder, timeoutCycles: number): number;
  /**
   * Calls `arrive` with the release half of `order`, and then `wait` with its acquire half. So
   * `'acquire'` publishes nothing.
   */
  sync(coop: CoopLike, order: MemoryOrder): void;
  sync(coop: CoopLike, order: MemoryOrder, timeoutCycles: number): number;
}

const order = { kind: 'word', words: memoryOrders } as const;
const coop = { kind: 'coop' } as const;

const uses = { teamLsa, resourceLocalPointer, savedEpoch, arriveAt, waitAt, waitAtOrTimeOut };

/**
 * Makes a session: `lsa.barrierSession(coop, comm, index, { team?, handle?, multimem?, mmHandle?
 * })`.
 */
export const barrierSession: DeviceFn<
  (coop: CoopLike, comm: DevComm, index: number, options?: LsaBarrierOptions) => LsaBarrierSession
> = deviceSession({
  name: 'lsa.barrierSession',
  use: uses,
  state: {
    comm: 'fixed',
    team: 'fixed',
    handle: 'fixed',
    index: 'fixed',
    coop: 'fixed',
    multimem: 'fixed',
    mmHandle: 'fixed',
    epoch: u32,
  },
  params: {
    coop,
    comm: devComm,
    index: u32,
    'options?': {
      kind: 'options',
      members: { team, handle: lsaBarrierHandle, multimem: { kind: 'constant' }, mmHandle: multimemHandle },
    },
  },
  ctor: (
    { teamLsa, resourceLocalPointer, savedEpoch, requires, addr, u32 }: Context<typeof uses>,
    self: LsaBarrierState,
    coop: CoopLike,
    comm: DevComm,
    index: number,
    options: LsaBarrierOptions,
  ) => {
    self.coop = coop;
    self.comm = comm;
    self.index = index;
    self.team = options.team === undefined ? teamLsa(comm) : options.team;
    self.handle = options.handle === undefined ? comm.lsaBarrier : options.handle;
    requires(
      index < u32(self.handle.nBarriers),
      options.handle === undefined
        ? 'LSA barrier index {}, but the device communicator has {}: createDevComm({ lsaBarrierCount: {} })'
        : 'LSA barrier index {}, but its handle has {}: lsaBarrierCreateRequirement(team, {})',
      index,
      self.handle.nBarriers,
      addr(index) + 1,
    );
    self.multimem = options.multimem === undefined ? false : options.multimem;
    self.mmHandle = options.mmHandle === undefined ? comm.lsaMultimem : options.mmHandle;
    self.epoch = resourceLocalPointer(comm, u32, self.handle.bufHandle).load(savedEpoch(self));
  },
  methods: {
    arrive: {
      params: { coop, order },
      body: ({ arriveAt }: Context<typeof uses>, self: LsaBarrierState, coop: Coop, order: MemoryOrder) => {
        arriveAt(self, coop, order);
      },
    },
    wait: {
      params: { coop, order, 'timeoutCycles?': u64 },
      body: (
        { waitAt, waitAtOrTimeOut }: Context<typeof uses>,
        self: LsaBarrierState,
        coop: Coop,
        order: MemoryOrder,
        timeoutCycles?: number,
      ) => {
        if (timeoutCycles !== undefined) return waitAtOrTimeOut(self, coop, order, timeoutCycles);
        waitAt(self, coop, order);
        return undefined;
      },
    },
    sync: {
      params: { coop, order, 'timeoutCycles?': u64 },
      body: (
        { arriveAt, waitAt, waitAtOrTimeOut }: Context<typeof uses>,
        self: LsaBarrierState,
        coop: Coop,
        order: MemoryOrder,
        timeoutCycles?: number,
      ) => {
        arriveAt(self, coop, order);
        if (timeoutCycles !== undefined) return waitAtOrTimeOut(self, coop, order, timeoutCycles);
        waitAt(self, coop, order);
        return undefined;
      },
    },
  },
  dtor: ({ resourceLocalPointer, savedEpoch, u32 }: Context<typeof uses>, self: LsaBarrierState) => {
    if (self.coop.threadRank() === 0) {
      const saved = resourceLocalPointer(self.comm, u32, self.handle.bufHandle);
      saved.store(savedEpoch(self), self.epoch);
    }
    self.coop.sync();
  },
});
