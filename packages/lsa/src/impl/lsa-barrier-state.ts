import type { DevComm, LsaBarrierHandle, MultimemHandle } from '@nccl-ts/devcomm';
import type { Team } from '@nccl-ts/topology';
import type { CoopLike } from '@nccl-ts/kernel';

/**
 * The state of a session. Its epoch counts the barriers of this index since the device communicator
 * was made, modulo 2^32. In multimem mode it counts the arrivals of all ranks at these barriers.
 * Each mode has its own epoch.
 *
 * Each rank's resource buffer has these words, with n barriers and R ranks: `[0, n)` saved epochs
 * of the multimem mode, `[n, 2n)` of the unicast mode, `[2n, 3n)` multimem arrival counters, `[3n +
 * index * R + peer]` the last epoch that team member `peer` posted to this rank.
 */
export interface LsaBarrierState {
  comm: DevComm;
  team: Team;
  handle: LsaBarrierHandle;
  index: number;
  coop: CoopLike;
  /** A compile-time constant. */
  multimem: boolean;
  mmHandle: MultimemHandle;
  epoch: number;
}
