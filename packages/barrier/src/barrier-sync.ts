import type { MemoryOrder } from '@nccl-ts/core';
import type { Gin, GinFence } from '@nccl-ts/gin';
import { deviceFn, type CoopLike, type DeviceFn } from '@nccl-ts/kernel';
import { session, type BarrierOptions, type BarrierTag } from './barrier-session.ts';

/**
 * `barrier.sync(coop, net, tag, index, order?, fence?, options?)`: a session of barrier `index`,
 * one `sync` of it, and its end. The default order is `acq_rel`, the default fence `putGet`. For a
 * time limit, or a barrier over one domain, use a session. Callers must follow the rules of
 * `BarrierSession`.
 *
 * @see ncclBarrier
 */
export const sync: DeviceFn<
  (
    coop: CoopLike,
    net: Gin,
    tag: Exclude<BarrierTag, 'lsa'>,
    index: number,
    order?: MemoryOrder,
    fence?: GinFence,
    options?: Pick<BarrierOptions, 'multimem'>,
  ) => void
> = deviceFn(
  { name: 'barrier.sync', use: { session } },
  (
    { session },
    coop: CoopLike,
    net: Gin,
    tag: Exclude<BarrierTag, 'lsa'>,
    index: number,
    order?: MemoryOrder,
    fence?: GinFence,
    options?: Pick<BarrierOptions, 'multimem'>,
  ) => {
    const bar = session(coop, net, tag, index, options);
    bar.sync(coop, order === undefined ? 'acq_rel' : order, fence);
  },
);
