import type { MemoryOrder, MemoryProxy } from '@nccl-ts/core';
import type { CoopLike, Ptr } from '@nccl-ts/kernel';
import type { CftOp } from './reductions.ts';

/**
 * Operations of the compute fabric. An operation moves bytes between the CTA's shared memory and
 * memory that a logical endpoint reaches. It is asynchronous:
 *
 * 1. A call initiates it. Its group may be a part of the session's. The group's threads synchronize
 *    first.
 * 2. `submit`, by the same group, lets it start. NCCL does not document that an operation waits for
 *    that, but it does here.
 * 3. `flushSmem` or `flush` waits for it. Every operation must be flushed before the kernel ends.
 *
 * Two operations are not ordered, and neither are the pieces of one. An operation uses the far
 * memory through the fabric proxy, so accesses before and after it need fences (see `memFence`).
 * The source in shared memory needs `memFence(coop, 'release', 'generic', 'fabric', 'block')`
 * between a thread's stores and the call. The data of a get needs no fence after `flush`: NCCL does
 * not document one, and none exists.
 *
 * Every thread of a call's `coop` must make the call. Shared memory must begin at a multiple of 16
 * bytes, and `bytes` must be a multiple of 16. `leId` and `leOffset` come from `leInfo`,
 * `peerLeInfo` or `multimemLeInfo`. The simulator reports operations that are left at the end,
 * endpoints of the wrong kind, and bytes outside a window or a shared array. GPUs detect none of
 * these.
 *
 * @see ncclCft
 */
export interface CftSession {
  /** Copies `bytes` of shared memory to a location at one rank. */
  put(coop: CoopLike, leId: number, leOffset: number, source: Ptr, bytes: number): void;
  /**
   * Like `put`, and then adds the number of bytes that have arrived to the u64 at `counterOffset`
   * of the same endpoint, in one step or several. The window needs `WindowFlags.CftCounted`, and
   * the counter must begin at a multiple of 256 bytes. The counter covers only the bytes that it
   * counts. `flush` does not wait for the counter. Requires NCCL 2.32.
   */
  putCounted(coop: CoopLike, leId: number, leOffset: number, counterOffset: number, source: Ptr, bytes: number): void;
  /** Like `put`, for those bytes of each 16 whose bit is set in `cpMask`. */
  putCpMask(coop: CoopLike, leId: number, leOffset: number, source: Ptr, bytes: number, cpMask: number): void;
  /**
   * Like `put`, to every rank of a multicast endpoint. Copies to different ranks are not ordered.
   */
  putMultimem(coop: CoopLike, leId: number, leOffset: number, source: Ptr, bytes: number): void;
  /** Like `putCounted`, to every rank of a multicast endpoint. Each rank has its counter. */
  putMultimemCounted(
    coop: CoopLike,
    leId: number,
    leOffset: number,
    counterOffset: number,
    source: Ptr,
    bytes: number,
  ): void;
  /** Like `putCpMask`, to every rank of a multicast endpoint. */
  putMultimemCpMask(coop: CoopLike, leId: number, leOffset: number, source: Ptr, bytes: number, cpMask: number): void;
  /** Copies `bytes` from a location at one rank to shared memory. */
  get(coop: CoopLike, leId: number, leOffset: number, destination: Ptr, bytes: number): void;
  /**
   * Combines `bytes` of shared memory into a place of one rank, element by element: each of its
   * elements becomes the result of `op` with the one of `source`. The elements have the type that
   * `source` points to: u32, i32, u64 or i64. A sum has the same bits with or without a sign.
   *
   * The change of one element is one step, relaxed, at system scope, for other reductions of the
   * same type. Accesses of threads to it race with it, even atomic ones, until they are ordered.
   */
  red(coop: CoopLike, leId: number, leOffset: number, op: CftOp, source: Ptr, bytes: number): void;
  /** As `red`, and counts the bytes as `putCounted` does. NCCL 2.32 brought it. */
  redCounted(
    coop: CoopLike,
    leId: number,
    leOffset: number,
    counterOffset: number,
    op: CftOp,
    source: Ptr,
    bytes: number,
  ): void;
  /** As `red`, into the copy of every rank of a multicast endpoint, in no order among them. */
  redMultimem(coop: CoopLike, leId: number, leOffset: number, op: CftOp, source: Ptr, bytes: number): void;
  /** As `redCounted`, into the copy of every rank of a multicast endpoint; each has its counter. */
  redMultimemCounted(
    coop: CoopLike,
    leId: number,
    leOffset: number,
    counterOffset: number,
    op: CftOp,
    source: Ptr,
    bytes: number,
  ): void;
  /**
   * Combines the copies of all ranks of a multicast endpoint, element by element, and stores the
   * results to shared memory. `coop` must be a warp. The copies are read in no order, from the call
   * on: NCCL submits it at once. It still needs `submit` before the flush.
   */
  pullRed(coop: CoopLike, leId: number, leOffset: number, op: CftOp, destination: Ptr, bytes: number): void;
  /** Lets the operations go that this group has initiated. */
  submit(coop: CoopLike): void;
  /**
   * Returns once the submitted puts of the group have read their sources, which may then be
   * overwritten.
   */
  flushSmem(coop: CoopLike): void;
  /**
   * Returns once all operations are complete that were submitted before the first thread of the
   * group called it. NCCL does not document if later ones count too, so synchronize the groups
   * before it. A put is then ordered before the threads, and its bytes are in the peer's memory.
   * Other ranks need fences and a flag to see them. The group must contain all threads that
   * initiated operations, and all threads of the session must flush equally often.
   */
  flush(coop: CoopLike): void;
  /**
   * Returns when the calling rank's counter has reached `expected`, or is past it by less than half
   * the range. With an order that acquires, accesses of `coop` through the proxy `consumer` are
   * then ordered after the data that the counter has counted. With `timeoutCycles` it gives up
   * after these cycles, and the first thread returns `ResultCode.Timeout` (8). The others return 0,
   * as in NCCL.
   */
  waitCounted(coop: CoopLike, order: MemoryOrder, consumer: MemoryProxy, counter: Ptr, expected: number): void;
  waitCounted(
    coop: CoopLike,
    order: MemoryOrder,
    consumer: MemoryProxy,
    counter: Ptr,
    expected: number,
    timeoutCycles: number,
  ): number;
}
