import type { MemoryOrder } from '@nccl-ts/core';
import type { DevComm, GinBarrierHandle, Window } from '@nccl-ts/devcomm';
import type { CoopLike } from '@nccl-ts/kernel';
import type { Team } from '@nccl-ts/topology';
import type { LocalAction, RemoteAction } from './remote-action.ts';
import type { Gin, GinSharing } from './gin-context.ts';

/** The members of `gin` in a kernel. */
export interface GinModule {
  /**
   * Returns context `index` of the communicator, which must be less than `comm.ginContextCount`.
   * With `sharing`, you promise that only one CTA, or one thread, uses the context while this
   * kernel runs. The default, `gpu`, promises nothing.
   *
   * @see ncclGin
   */
  readonly context: (comm: DevComm, index: number, sharing?: GinSharing) => Gin;
  /** Opens a session of barrier `index`. @see ncclGinBarrierSession */
  readonly barrierSession: (
    coop: CoopLike,
    net: Gin,
    tag: 'world' | 'rail',
    index: number,
    options?: GinBarrierOptions,
  ) => GinBarrierSession;
  /**
   * Opens a session of barrier `index`, synchronizes once, and ends the session. The default order
   * is `acq_rel`, and the default fence `putGet`. There is no form with a time limit, for which you
   * need a session. The rules of `GinBarrierSession` apply.
   *
   * @see ncclGinBarrier
   */
  readonly barrier: (
    coop: CoopLike,
    net: Gin,
    tag: 'world' | 'rail',
    index: number,
    order?: MemoryOrder,
    fence?: GinFence,
    options?: GinBarrierOptions,
  ) => void;
  /**
   * Adds 1 to the signal; strong. Do not mix it with other changes of the same signal unless you
   * reset the signal in between.
   *
   * @see ncclGin_StrongSignalInc
   */
  readonly strongSignalInc: (signal: number) => RemoteAction;
  /** Adds `value` to the signal; strong. @see ncclGin_StrongSignalAdd */
  readonly strongSignalAdd: (signal: number, value: number) => RemoteAction;
  /** Adds 1 to the signal; weak. @see ncclGin_WeakSignalInc */
  readonly weakSignalInc: (signal: number) => RemoteAction;
  /** Adds `value` to the signal; weak. @see ncclGin_WeakSignalAdd */
  readonly weakSignalAdd: (signal: number, value: number) => RemoteAction;
  /**
   * Adds 1 to the u64 at byte `offset` of the peer's copy of `win`; strong. The window needs strict
   * ordering, and no other access may touch the word.
   *
   * @see ncclGin_StrongVASignalInc
   */
  readonly strongVASignalInc: (win: Window, offset: number) => RemoteAction;
  /** Like `strongVASignalInc`, but adds `value`. @see ncclGin_StrongVASignalAdd */
  readonly strongVASignalAdd: (win: Window, offset: number, value: number) => RemoteAction;
  /** Like `strongVASignalInc`, but weak. @see ncclGin_WeakVASignalInc */
  readonly weakVASignalInc: (win: Window, offset: number) => RemoteAction;
  /** Like `strongVASignalAdd`, but weak. @see ncclGin_WeakVASignalAdd */
  readonly weakVASignalAdd: (win: Window, offset: number, value: number) => RemoteAction;
  /**
   * Strong or weak as `ginStrongSignalsRequired` selects.
   * @deprecated in NCCL 2.30.5: use a function that names the strength.
   * @see ncclGin_SignalInc
   */
  readonly signalInc: (signal: number) => RemoteAction;
  /**
   * @deprecated in NCCL 2.30.5: use a function that names the strength.
   * @see ncclGin_SignalAdd
   */
  readonly signalAdd: (signal: number, value: number) => RemoteAction;
  /**
   * @deprecated in NCCL 2.30.5: use a function that names the strength.
   * @see ncclGin_VASignalInc
   */
  readonly vaSignalInc: (win: Window, offset: number) => RemoteAction;
  /**
   * @deprecated in NCCL 2.30.5: use a function that names the strength.
   * @see ncclGin_VASignalAdd
   */
  readonly vaSignalAdd: (win: Window, offset: number, value: number) => RemoteAction;
  /**
   * Adds 1 to the counter once the put's source may be reused. The counter does not show that the
   * put has arrived.
   *
   * @see ncclGin_WeakCounterInc
   */
  readonly weakCounterInc: (counter: number) => LocalAction;
  /** @deprecated in NCCL's header: `weakCounterInc`. @see ncclGin_CounterInc */
  readonly counterInc: (counter: number) => LocalAction;
}

/** The location of a barrier's signals. */
export interface GinBarrierOptions {
  /** With `handle`: any team that the connection reaches, with its own barriers. */
  readonly team?: Team;
  readonly handle?: GinBarrierHandle;
  /**
   * True if the fence covers the puts and gets of every context of the communicator, and not only
   * those of `net`.
   */
  readonly allContexts?: boolean;
}

/**
 * A barrier over the network. Its state is in the shadows of its signals, so there is nothing to
 * close.
 *
 * Every thread of `coop` must make each call, and each rank of the team must make the same calls
 * with the same index. A barrier of R ranks needs at least R - 1 threads. In NCCL's loop each
 * thread signals and then waits, peer after peer. With fewer threads, a ring of ranks would wait
 * for each other. The simulator reports that, but a GPU hangs.
 *
 * @see ncclGinBarrierSession
 */
export interface GinBarrierSession {
  sync(coop: CoopLike, order: MemoryOrder, fence?: GinFence): void;
  /**
   * Gives up after `timeoutCycles`. Returns 0, or `ResultCode.Timeout` (8) if it gave up. After a
   * time-out the barrier is out of step.
   */
  sync(coop: CoopLike, order: MemoryOrder, fence: GinFence, timeoutCycles: number): number;
}

/**
 * The network requests that a barrier completes in addition to synchronizing. `put`: the puts to
 * this rank by any rank of the team, made before it arrived and on the barrier's contexts, are
 * visible. `get`: the data of this rank's earlier gets has arrived.
 */
export type GinFence = 'none' | 'put' | 'get' | 'putGet';
