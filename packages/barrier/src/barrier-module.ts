import type { MemoryOrder } from '@nccl-ts/core';
import type { Gin, GinFence } from '@nccl-ts/gin';
import type { CoopLike } from '@nccl-ts/kernel';
import type { BarrierOptions, BarrierSession, BarrierTag } from './barrier-session.ts';

/** The members of `barrier` in a kernel. */
export interface Barrier {
  /** Makes a session of barrier `index`. @see ncclBarrierSession */
  readonly session: (
    coop: CoopLike,
    net: Gin,
    tag: BarrierTag,
    index: number,
    options?: BarrierOptions,
  ) => BarrierSession;
  /**
   * Makes a session of barrier `index`, synchronizes once, and ends the session. The default order
   * is `acq_rel`, the default fence `putGet`. For a time limit, or a barrier over one domain, use a
   * session. Callers must follow the rules of `BarrierSession`.
   *
   * @see ncclBarrier
   */
  readonly sync: (
    coop: CoopLike,
    net: Gin,
    tag: Exclude<BarrierTag, 'lsa'>,
    index: number,
    order?: MemoryOrder,
    fence?: GinFence,
    options?: Pick<BarrierOptions, 'multimem'>,
  ) => void;
}
