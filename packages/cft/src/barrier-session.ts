import { memoryOrders, memoryProxies, type MemoryOrder, type MemoryProxy } from '@nccl-ts/core';
import { devComm, resourceLocalPointer, type DevComm } from '@nccl-ts/devcomm';
import { deviceSession, u32, u64, type Context, type Coop, type CoopLike, type DeviceFn } from '@nccl-ts/kernel';
import { arrive, wait, waitOrTimeOut } from './impl/barrier-functions.ts';
import type { CftBarrierState } from './impl/barrier-state.ts';
import { team, teamMultimem } from './teams.ts';

/** Options of a barrier session. */
export interface CftBarrierOptions {
  /**
   * Synchronizes the ranks of the calling rank's multicast endpoint, by one reduction, instead of
   * all ranks with endpoints. A constant, the same on all ranks. Default false.
   */
  readonly multimem?: boolean;
}

/**
 * A barrier over the CTAs of several ranks that use the same `index`.
 *
 * Every thread of `coop` must make each call, and every rank of the team must make the same calls.
 * The session reads its epoch when it is made, and saves it when its block ends. Two live sessions
 * of one index on one rank, or an `arrive` without its `wait`, leave the epoch wrong. NCCL keeps
 * the word that it sends in one place for each CTA: only one group of a CTA may be in `arrive` at a
 * time. Nothing checks that.
 *
 * `producer` is the proxy of the accesses before the barrier, and `consumer` of those after it. The
 * two must be the same on all ranks. NCCL sends 16 bytes and reads 4 of them, and PTX does not say
 * that this synchronizes. Its documents do: a wait with acquire order is ordered after the accesses
 * before an arrival with release order.
 *
 * @see ncclCftBarrierSession
 */
export interface CftBarrierSession {
  /**
   * Signals the other ranks, and flushes. If `order` has a release half, earlier accesses of any
   * thread of `coop` through the proxy `producer` are ordered before those that wait. Operations of
   * the fabric must be flushed before it.
   */
  arrive(coop: CoopLike, order: MemoryOrder, producer: MemoryProxy, consumer: MemoryProxy): void;
  /**
   * Returns when every rank of the team has arrived. If `order` has an acquire half, later accesses
   * of all threads of `coop` through the proxy `consumer` are ordered after what those released.
   */
  wait(coop: CoopLike, order: MemoryOrder, producer: MemoryProxy, consumer: MemoryProxy): void;
  /**
   * As above, but gives up after `timeoutCycles`. Returns 0, or `ResultCode.Timeout` (8). Threads
   * may get different results; after a time-out the barrier's epoch is undefined.
   */
  wait(coop: CoopLike, order: MemoryOrder, producer: MemoryProxy, consumer: MemoryProxy, timeoutCycles: number): number;
  /**
   * Calls `arrive` with the release half of `order`, then `wait` with its acquire half.
   */
  sync(coop: CoopLike, order: MemoryOrder, producer: MemoryProxy, consumer: MemoryProxy): void;
  sync(coop: CoopLike, order: MemoryOrder, producer: MemoryProxy, consumer: MemoryProxy, timeoutCycles: number): number;
}

const order = { kind: 'word', words: memoryOrders } as const;
const proxy = { kind: 'word', words: memoryProxies } as const;
const coop = { kind: 'coop' } as const;
const call = { coop, order, producer: proxy, consumer: proxy } as const;

const uses = { team, teamMultimem, resourceLocalPointer, arrive, wait, waitOrTimeOut };
type Uses = Context<typeof uses>;

/** `cft.barrierSession(coop, comm, index, { multimem? })`. */
export const barrierSession: DeviceFn<
  (coop: CoopLike, comm: DevComm, index: number, options?: CftBarrierOptions) => CftBarrierSession
> = deviceSession({
  name: 'cft.barrierSession',
  use: uses,
  state: {
    comm: 'fixed',
    coop: 'fixed',
    team: 'fixed',
    handle: 'fixed',
    index: 'fixed',
    multimem: 'fixed',
    epoch: u32,
  },
  params: {
    coop,
    comm: devComm,
    index: u32,
    'options?': { kind: 'options', members: { multimem: { kind: 'constant' } } },
  },
  ctor: (
    { team, teamMultimem, resourceLocalPointer, requires, addr, u32 }: Uses,
    self: CftBarrierState,
    coop: CoopLike,
    comm: DevComm,
    index: number,
    options: CftBarrierOptions,
  ) => {
    self.coop = coop;
    self.comm = comm;
    self.index = index;
    self.multimem = options.multimem === undefined ? false : options.multimem;
    self.team = self.multimem ? teamMultimem(comm) : team(comm);
    self.handle = self.multimem ? comm.cftMultimemBarrier : comm.cftBarrier;
    requires(
      index < u32(self.handle.nBarriers),
      'CFT barrier index {}, but the device communicator has {}: createDevComm({ cftBarrierCount: {} }), and cftCaps',
      index,
      self.handle.nBarriers,
      addr(index) + 1,
    );
    self.epoch = resourceLocalPointer(comm, u32, self.handle.bufHandle).load(index);
  },
  methods: {
    arrive: {
      params: call,
      body: (
        { arrive }: Uses,
        self: CftBarrierState,
        coop: Coop,
        order: MemoryOrder,
        producer: MemoryProxy,
        consumer: MemoryProxy,
      ) => {
        arrive(self, coop, order, producer, consumer);
      },
    },
    wait: {
      params: { ...call, 'timeoutCycles?': u64 },
      body: (
        { wait, waitOrTimeOut }: Uses,
        self: CftBarrierState,
        coop: Coop,
        order: MemoryOrder,
        producer: MemoryProxy,
        consumer: MemoryProxy,
        timeoutCycles?: number,
      ) => {
        if (timeoutCycles !== undefined) return waitOrTimeOut(self, coop, order, producer, consumer, timeoutCycles);
        wait(self, coop, order, producer, consumer);
        return undefined;
      },
    },
    sync: {
      params: { ...call, 'timeoutCycles?': u64 },
      body: (
        { arrive, wait, waitOrTimeOut }: Uses,
        self: CftBarrierState,
        coop: Coop,
        order: MemoryOrder,
        producer: MemoryProxy,
        consumer: MemoryProxy,
        timeoutCycles?: number,
      ) => {
        arrive(self, coop, order, producer, consumer);
        if (timeoutCycles !== undefined) return waitOrTimeOut(self, coop, order, producer, consumer, timeoutCycles);
        wait(self, coop, order, producer, consumer);
        return undefined;
      },
    },
  },
  dtor: ({ resourceLocalPointer, u32 }: Uses, self: CftBarrierState) => {
    if (self.coop.threadRank() === 0) {
      resourceLocalPointer(self.comm, u32, self.handle.bufHandle).store(self.index, self.epoch);
    }
    self.coop.sync();
  },
});
