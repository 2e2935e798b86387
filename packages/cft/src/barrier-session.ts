import type { MemoryOrder, MemoryProxy } from '@nccl-ts/core';
import { devComm, resourceLocalPointer } from '@nccl-ts/devcomm';
import {
  coopParam,
  deviceSession,
  flagParam,
  orderParam,
  proxyParam,
  sessionState,
  u32,
  u64,
  type CoopLike,
  type DeviceFn,
  type OptionsParam,
} from '@nccl-ts/kernel';
import { arrive, wait } from './impl/barrier-functions.ts';
import type { CftBarrierState } from './impl/barrier-state.ts';
import { team, teamMultimem } from './teams.ts';
import type { Cft } from './cft-module.ts';

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

const options: OptionsParam<CftBarrierOptions> = { kind: 'options', members: { multimem: flagParam } };
const call = { coop: coopParam, order: orderParam, producer: proxyParam, consumer: proxyParam };
const timed = { ...call, 'timeoutCycles?': u64 };

/** @see {@link Cft.barrierSession} */
export const barrierSession: DeviceFn<Cft['barrierSession']> = deviceSession({
  name: 'cft.barrierSession',
  use: { team, teamMultimem, resourceLocalPointer, arrive, wait },
  state: sessionState<CftBarrierState>({
    comm: 'fixed',
    coop: 'fixed',
    team: 'fixed',
    handle: 'fixed',
    index: 'fixed',
    multimem: 'fixed',
    epoch: u32,
  }),
  params: { coop: coopParam, comm: devComm, index: u32, 'options?': options },
  ctor: ({ team, teamMultimem, resourceLocalPointer, requires, addr, u32 }, self, { coop, comm, index, options }) => {
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
    arrive: { params: call, body: ({ arrive }, self, call) => arrive(self, call) },
    wait: { params: timed, body: ({ wait }, self, call) => wait(self, call, call.timeoutCycles) },
    sync: {
      params: timed,
      body: ({ arrive, wait }, self, call) => {
        arrive(self, call);
        return wait(self, call, call.timeoutCycles);
      },
    },
  },
  dtor: ({ resourceLocalPointer, u32 }, self) => {
    if (self.coop.threadRank() === 0) {
      resourceLocalPointer(self.comm, u32, self.handle.bufHandle).store(self.index, self.epoch);
    }
    self.coop.sync();
  },
});
