import type { MemoryOrder } from '@nccl-ts/core';
import type { GinBarrierHandle, LsaBarrierHandle, MultimemHandle } from '@nccl-ts/devcomm';
import type { Gin, GinBarrierSession, GinFence } from '@nccl-ts/gin';
import type { CoopLike } from '@nccl-ts/kernel';
import type { LsaBarrierSession } from '@nccl-ts/lsa';
import type { Team } from '@nccl-ts/topology';

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

/**
 * The ranks of a barrier: all of them, those of the LSA domain, or those with the same LSA rank in
 * each domain.
 */
export type BarrierTag = 'world' | 'lsa' | 'rail';

/** Options of a hybrid barrier. */
export interface BarrierOptions {
  /**
   * The team within a domain. Set all four options or none: the teams within and across domains,
   * and the handles of your own barriers over each.
   */
  readonly innerTeam?: Team;
  readonly outerTeam?: Team;
  readonly innerHandle?: LsaBarrierHandle;
  readonly outerHandle?: GinBarrierHandle;
  /**
   * True to arrive within a domain through the multicast address. It must be the same on all ranks.
   * @default false
   */
  readonly multimem?: boolean;
  /**
   * The multimem handle of `innerTeam`, for `multimem`: one of `multimemHandles`.
   *
   * @default that of the LSA team, `lsaMultimem`
   */
  readonly innerMmHandle?: MultimemHandle;
}

/**
 * A barrier over all ranks. It uses loads and stores within a domain, and the network across
 * domains. Each index takes an LSA barrier, a rail GIN barrier and, unless the connection is
 * `rail`, a world GIN barrier: `barrierCount` of the requirements.
 *
 * Over `'world'`, a fence of puts needs the network between all ranks. In that case, and with no
 * `rail` connection, only the world GIN barrier runs. Otherwise the domain synchronizes first, and
 * then the rail, which does the fence. Both use the whole order, although NCCL gives each of them a
 * half.
 *
 * Every thread of `coop` must make each call, and each rank must make the same calls with the same
 * index. The rules of its parts apply too: the width of the group (see `GinBarrierSession`), and
 * one live session per index.
 *
 * @see ncclBarrierSession
 */
export interface BarrierSession {
  sync(coop: CoopLike, order: MemoryOrder, fence?: GinFence): void;
  /**
   * Gives up after `timeoutCycles`. Returns 0, or `ResultCode.Timeout` (8). The rail part gets the
   * time that remains after the domain part, and runs even if the domain part timed out. After a
   * time-out the barrier's epochs are undefined.
   */
  sync(coop: CoopLike, order: MemoryOrder, fence: GinFence, timeoutCycles: number): number;
  /** The part within the domain. A barrier over `'rail'` has none. */
  lsaBarrier(): LsaBarrierSession;
  /** The part across domains. A barrier over `'lsa'` has none. */
  ginBarrier(): GinBarrierSession;
}
