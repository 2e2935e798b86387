import type { MemoryOrder } from '@nccl-ts/core';
import { deviceFn, type CoopLike, type DeviceFn } from '@nccl-ts/kernel';
import { barrierSession, type GinBarrierOptions } from './gin-barrier-session.ts';
import type { GinFence } from './gin-fence.ts';
import type { Gin } from '../gin-context.ts';

/**
 * `gin.barrier(coop, net, tag, index, order?, fence?, options?)`: opens a session of barrier
 * `index`, synchronizes once, and ends the session. The default order is `acq_rel`, and the default
 * fence `putGet`. There is no form with a time limit, for which you need a session. The rules of
 * `GinBarrierSession` apply.
 *
 * @see ncclGinBarrier
 */
export const barrier: DeviceFn<
  (
    coop: CoopLike,
    net: Gin,
    tag: 'world' | 'rail',
    index: number,
    order?: MemoryOrder,
    fence?: GinFence,
    options?: GinBarrierOptions,
  ) => void
> = deviceFn(
  { name: 'gin.barrier', use: { barrierSession } },
  (
    { barrierSession },
    coop: CoopLike,
    net: Gin,
    tag: 'world' | 'rail',
    index: number,
    order?: MemoryOrder,
    fence?: GinFence,
    options?: GinBarrierOptions,
  ) => {
    const bar = barrierSession(coop, net, tag, index, options);
    bar.sync(coop, order === undefined ? 'acq_rel' : order, fence);
  },
);
