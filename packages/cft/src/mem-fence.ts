import type { MemoryOrder, MemoryProxy } from '@nccl-ts/core';
import { deviceFn, type Coop, type DeviceFn } from '@nccl-ts/kernel';

/**
 * `memFence(coop, order, producer, consumer, scope)`: one thread of `coop` orders accesses through
 * the proxy `producer` before later ones through `consumer`.
 *
 * With a release, the group meets before the fence, so the accesses of all its threads count. With
 * an acquire, it meets after the fence, so the later accesses of all its threads count. A release
 * alone does not hold back the other threads: they may be ahead of the fence.
 *
 * Scope `system` is for global memory. Between two ranks, one releases and the other acquires, with
 * the same two proxies. Scope `block` with a release is for shared memory that this CTA then gives
 * to an operation of the fabric; NCCL ignores the proxies then, and an acquire.
 *
 * @see ncclMemFence
 */
export const memFence: DeviceFn<
  (coop: Coop, order: MemoryOrder, producer: MemoryProxy, consumer: MemoryProxy, scope: 'block' | 'system') => void
> = deviceFn(
  { name: 'cft.memFence' },
  (
    { fenceProxy },
    coop: Coop,
    order: MemoryOrder,
    producer: MemoryProxy,
    consumer: MemoryProxy,
    scope: 'block' | 'system',
  ) => {
    if (order === 'release' || order === 'acq_rel' || order === 'seq_cst') coop.sync();
    if (coop.threadRank() === 0) fenceProxy('fabric', producer, consumer, order, scope);
    if (order === 'acquire' || order === 'acq_rel' || order === 'seq_cst') coop.sync();
  },
);
