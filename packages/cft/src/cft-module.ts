import type { MemoryOrder, MemoryProxy } from '@nccl-ts/core';
import type { DevComm, Window } from '@nccl-ts/devcomm';
import type { Coop, CoopLike, Ptr } from '@nccl-ts/kernel';
import type { Team } from '@nccl-ts/topology';
import type { CftBarrierOptions, CftBarrierSession } from './cft-barrier-session.ts';
import type { LogicalEndpoint } from './logical-endpoint.ts';
import type { CftSession } from './cft-session.ts';

/** The members of `cft` in a kernel. */
export interface Cft {
  /**
   * Returns the ranks that the calling rank reaches by logical endpoints. The default mode is
   * `flat`. The team is empty if the device communicator has no `cftCaps`.
   *
   * @see ncclTeamCft
   */
  readonly team: (comm: DevComm, mode?: CftTeamMode) => Team;
  /**
   * Returns the ranks that a multicast write of the calling rank reaches, including itself. The
   * team is empty unless the device communicator has `cftCaps: 'cftMultimem'`.
   *
   * @see ncclTeamCftMultimem
   */
  readonly teamMultimem: (comm: DevComm) => Team;
  /**
   * Returns the endpoint of the team's member `peer`, and the location of byte `offset` of the
   * window in it. The simulator reports a peer outside the team.
   *
   * @see ncclGetCftLeInfo
   */
  readonly leInfo: (win: Window, offset: number, peer: number, of: Team, comm: DevComm) => LogicalEndpoint;
  /**
   * Like `leInfo`, for world rank `peer`.
   *
   * @see ncclGetPeerLeInfo
   */
  readonly peerLeInfo: (win: Window, offset: number, peer: number, comm: DevComm) => LogicalEndpoint;
  /**
   * Returns the multicast endpoint of the calling rank's multicast group, for multicast operations.
   *
   * @see ncclGetMultimemLeInfo
   */
  readonly multimemLeInfo: (win: Window, offset: number, comm: DevComm) => LogicalEndpoint;
  /**
   * Returns the endpoint of member `peer` of `cft.team(comm)`, and the location in it of the
   * resource buffer that `bufHandle` identifies.
   *
   * @see ncclGetResourceBufferCftLeInfo
   */
  readonly resourceLeInfo: (comm: DevComm, bufHandle: number, peer: number) => LogicalEndpoint;
  /**
   * Like `resourceLeInfo`, for world rank `peer`.
   *
   * @see ncclGetResourceBufferPeerLeInfo
   */
  readonly resourcePeerLeInfo: (comm: DevComm, bufHandle: number, peer: number) => LogicalEndpoint;
  /**
   * Like `resourceLeInfo`, for the multicast endpoint of the calling rank's multicast group.
   *
   * @see ncclGetResourceBufferMultimemLeInfo
   */
  readonly resourceMultimemLeInfo: (comm: DevComm, bufHandle: number) => LogicalEndpoint;
  /**
   * Opens a session for operations of the threads of `coop`. `smem` is 16 bytes of shared memory,
   * at a multiple of 16. Nothing else may use it until the session's block ends.
   *
   * NCCL's object tracks at most 16 MiB of puts and 1 MiB of gets between two flushes. nccl-ts does
   * not check this limit.
   *
   * @see ncclCft
   */
  readonly session: (coop: CoopLike, smem: Ptr) => CftSession;
  /**
   * Lets one thread of `coop` order accesses through the proxy `producer` before later ones through
   * `consumer`.
   *
   * With a release, the group synchronizes before the fence, so it covers the accesses of all its
   * threads. With an acquire, the group synchronizes after the fence, so it covers the later
   * accesses of all its threads. A release alone does not hold back the other threads, which may be
   * ahead of the fence.
   *
   * Scope `system` is for global memory. Between two ranks, one releases and the other acquires,
   * with the same two proxies. Scope `block` with a release is for shared memory that this CTA then
   * passes to a fabric operation. With scope `block`, NCCL ignores the proxies and an acquire.
   *
   * @see ncclMemFence
   */
  readonly memFence: (
    coop: Coop,
    order: MemoryOrder,
    producer: MemoryProxy,
    consumer: MemoryProxy,
    scope: 'block' | 'system',
  ) => void;
  /** Opens a session of barrier `index`. @see ncclCftBarrierSession */
  readonly barrierSession: (
    coop: CoopLike,
    comm: DevComm,
    index: number,
    options?: CftBarrierOptions,
  ) => CftBarrierSession;
}

/**
 * The members of a fabric team. `flat`: all ranks with endpoints. `hierMultimem`: those at the same
 * position in each multicast group. `hierLsa`: those at the same position in each load-store
 * domain.
 *
 * @see ncclCftTeamMode_t
 */
export type CftTeamMode = 'flat' | 'hierMultimem' | 'hierLsa';
