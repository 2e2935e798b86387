import type { DevComm, LLA2AHandle } from '@nccl-ts/devcomm';
import type { CoopLike } from '@nccl-ts/kernel';
import type { Team } from '@nccl-ts/topology';
import type { LLA2AOptions, LLA2ASession } from './ll-a2a-session.ts';

/** The members of `llA2A` in a kernel. */
export interface LLA2A {
  /**
   * Makes a session of block `block` of the handle, whose values have numbers below `maxElts` if
   * they have more than 8 bytes. @see ncclLLA2ASession
   */
  readonly session: (
    coop: CoopLike,
    comm: DevComm,
    team: Team,
    handle: LLA2AHandle,
    block: number,
    maxElts: number,
    options?: LLA2AOptions,
  ) => LLA2ASession;
}
