import type { DevComm, Window } from '@nccl-ts/devcomm';
import type { CoopLike, Ptr, TypeFn } from '@nccl-ts/kernel';
import type { Team } from '@nccl-ts/topology';
import type { LsaBarrierOptions, LsaBarrierSession } from './lsa-barrier-session.ts';

/** The members of `lsa` in a kernel. */
export interface Lsa {
  /**
   * The address of byte `offset` of the window's copy at LSA rank `peer`, as elements of type T.
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
   * The address in the calling rank's copy.
   *
   * @see ncclGetLocalPointer
   */
  readonly localPointer: (win: Window, type: TypeFn, offset: number) => Ptr;
  /** Makes a session of barrier `index`. @see ncclLsaBarrierSession */
  readonly barrierSession: (
    coop: CoopLike,
    comm: DevComm,
    index: number,
    options?: LsaBarrierOptions,
  ) => LsaBarrierSession;
}
