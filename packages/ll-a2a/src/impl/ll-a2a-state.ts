import type { DevComm, LLA2AHandle, MultimemHandle } from '@nccl-ts/devcomm';
import type { CoopLike } from '@nccl-ts/kernel';
import type { Team } from '@nccl-ts/topology';

/**
 * The state of a session.
 *
 * Its memory, in each rank's resource buffer, consists of lines of 16 bytes. Each block has one
 * line whose first word is the saved epoch, then two banks of `nSlots` slots. The slots of epoch e
 * are in bank e & 1. A slot holds 8 bytes of a value and the epoch twice, `{ lo, epoch, hi, epoch
 * }`. An unwritten slot holds 0, which is not an epoch.
 */
export interface LLA2AState {
  comm: DevComm;
  team: Team;
  handle: LLA2AHandle;
  block: number;
  /** The distance in slots between consecutive 8 bytes of a value: `maxElts`. */
  pitch: number;
  coop: CoopLike;
  /** True if `bcast` uses the multicast address of `mmHandle`. */
  multimem: boolean;
  mmHandle: MultimemHandle;
  /** The current epoch. It starts at 2, and starts again at 2 after 2^32 - 1. */
  epoch: number;
}
