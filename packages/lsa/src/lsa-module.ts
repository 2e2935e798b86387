import type { MemoryOrder } from '@nccl-ts/core';
import type { DevComm, LsaBarrierHandle, MultimemHandle, Window } from '@nccl-ts/devcomm';
import type { CoopLike, Ptr, TypeFn } from '@nccl-ts/kernel';
import type { Team } from '@nccl-ts/topology';

/** The members of `lsa` in a kernel. */
export interface Lsa {
  /**
   * The address of byte `offset` of the window's copy at LSA rank `peer`, as elements of type
   * `type`. The offset is in bytes. Indices of the pointer count elements.
   *
   * ```ts
   * const theirs = lsa.pointer(win, f32, 0, (comm.lsaRank + 1) % comm.lsaSize);
   * theirs.store(i, value); // element i, which is byte 4 * i
   * ```
   *
   * The arguments are not checked. For a peer outside 0 to `lsaSize` - 1, or past the window's end,
   * an access faults on the simulator and is undefined on GPUs.
   *
   * @see ncclGetLsaPointer
   */
  readonly pointer: (win: Window, type: TypeFn, offset: number, peer: number) => Ptr;
  /**
   * Like `lsa.pointer`, but for world rank `peer`, which must be in the calling rank's LSA domain.
   * NCCL's guide promises a null pointer for other ranks. NCCL's device code has no such test, and
   * neither has this function.
   *
   * @see ncclGetPeerPointer
   */
  readonly peerPointer: (win: Window, type: TypeFn, offset: number, peer: number) => Ptr;
  /**
   * True if `lsa.peerPointer` can reach world rank `peer`. It can reach the calling rank too.
   *
   * The function is new in NCCL 2.32.6. Its documentation says only that it reports if a peer is
   * reachable by loads and stores. NCCL may reach more ranks than the LSA domain. Here only the
   * domain counts, on every backend and with every version.
   *
   * @see ncclDevCommCanGetPeerPointer
   */
  readonly canGetPeerPointer: (comm: DevComm, peer: number) => boolean;
  /**
   * Like `lsa.pointer`, for member `peer` of `team`. The member must be in the calling rank's LSA
   * domain, which is not checked.
   *
   * @see ncclGetPeerPointer, the overload with a team
   */
  readonly teamPointer: (win: Window, type: TypeFn, offset: number, team: Team, peer: number) => Ptr;
  /**
   * The address of byte `offset` of the calling rank's own copy, as elements of type `type`. The
   * offset is in bytes. Indices of the pointer count elements.
   *
   * ```ts
   * const mine = lsa.localPointer(win, f32, 0);
   * ```
   *
   * @see ncclGetLocalPointer
   */
  readonly localPointer: (win: Window, type: TypeFn, offset: number) => Ptr;
  /**
   * Makes a session of barrier `index`, which is from 0 to `lsaBarrierCount` - 1 of the device
   * communicator. CTAs that run at the same time need different indices.
   *
   * ```ts
   * const bar = lsa.barrierSession(coopCta(), comm, blockIdx.x);
   * bar.sync(coopCta(), 'acq_rel');
   * ```
   *
   * @see ncclLsaBarrierSession
   */
  readonly barrierSession: (
    coop: CoopLike,
    comm: DevComm,
    index: number,
    options?: LsaBarrierOptions,
  ) => LsaBarrierSession;
}

/** Options of a barrier session. */
export interface LsaBarrierOptions {
  /** The ranks that take part, all in one LSA domain. @default the LSA team */
  readonly team?: Team;
  /**
   * The handle of the barriers' state, from `lsaBarrierCreateRequirement`.
   *
   * @default the communicator's own barriers
   */
  readonly handle?: LsaBarrierHandle;
  /**
   * True to arrive by one addition to a multicast address, instead of a store to each rank. A
   * constant, which must be the same on all ranks. The two modes have separate counters and epochs,
   * so a rank in the other mode would wait forever.
   *
   * @default false
   */
  readonly multimem?: boolean;
  /**
   * The multimem handle of `team`: one of `multimemHandles`.
   *
   * @default that of the LSA team, `lsaMultimem`
   */
  readonly mmHandle?: MultimemHandle;
}

/**
 * A barrier over the CTAs of several ranks that use the same `index`.
 *
 * Every thread of `coop` must make each call, and every rank of the team must make the same calls.
 * The session reads its epoch when it is made, and saves it when its block ends. Two live sessions
 * of one index on one rank, or an `arrive` without its `wait`, leave the epoch wrong. GPUs do not
 * detect that. An index of `nBarriers` or more overwrites other state on GPUs. The simulator
 * reports it.
 *
 * @see ncclLsaBarrierSession
 */
export interface LsaBarrierSession {
  /**
   * Signals the other ranks. If `order` has a release half, earlier writes of any thread of `coop`
   * are visible to ranks that wait with acquire order.
   */
  arrive(coop: CoopLike, order: MemoryOrder): void;
  /**
   * Returns when every rank of the team has arrived. If `order` has an acquire half, their released
   * writes are visible to all threads of `coop`. The wait does not order network operations.
   */
  wait(coop: CoopLike, order: MemoryOrder): void;
  /**
   * Like the other form, but gives up after `timeoutCycles`. Returns 0, or `ResultCode.Timeout`
   * (8). Threads may get different results. After a time-out the barrier's epoch is undefined.
   */
  wait(coop: CoopLike, order: MemoryOrder, timeoutCycles: number): number;
  /**
   * Calls `arrive` with the release half of `order`, and then `wait` with its acquire half. So
   * `'acquire'` publishes nothing.
   */
  sync(coop: CoopLike, order: MemoryOrder): void;
  sync(coop: CoopLike, order: MemoryOrder, timeoutCycles: number): number;
}
