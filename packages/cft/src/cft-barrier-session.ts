import type { MemoryOrder, MemoryProxy } from '@nccl-ts/core';
import type { CoopLike } from '@nccl-ts/kernel';

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
