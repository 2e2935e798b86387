import type { CftBarrierHandle, DevComm } from '@nccl-ts/devcomm';
import type { CoopLike } from '@nccl-ts/kernel';
import type { Team } from '@nccl-ts/topology';

/**
 * The state of a session. Its epoch counts the barriers of this index since the device communicator
 * was made, modulo 2^32; over a multicast endpoint, the arrivals at them.
 *
 * Each rank's resource buffer has these u32, with n barriers and R ranks: `[0, n)` saved epochs,
 * `[n, 2n)` arrivals over a multicast endpoint, `[2n + index * R + peer]` the arrivals of member
 * `peer`.
 */
export interface CftBarrierState {
  comm: DevComm;
  coop: CoopLike;
  team: Team;
  handle: CftBarrierHandle;
  index: number;
  /** Known when the kernel is compiled. */
  multimem: boolean;
  epoch: number;
}
