import type { MemoryOrder, MemoryProxy } from '@nccl-ts/core';
import { deviceFn, type Coop, type DeviceFn } from '@nccl-ts/kernel';

/**
 * `memFence(coop, order, producer, consumer, scope)`: lets one thread of `coop` order accesses
 * through the proxy `producer` before later ones through `consumer`.
 *
 * With a release, the group synchronizes before the fence, so it covers the accesses of all its
 * threads. With an acquire, the group synchronizes after the fence, so it covers the later accesses
 * of all its threads. A release alone does not hold back the other threads, which may be ahead of
 * the fence.
 *
 * Scope `system` is for global memory. Between two ranks, one releases and the other acquires, with
 * the same two proxies. Scope `block` with a release is for shared memory that this CTA then passes
 * to a fabric operation. With scope `block`, NCCL ignores the proxies and an acquire.
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
