import type { GinBarrierHandle } from '@nccl-ts/devcomm';
import type { Team } from '@nccl-ts/topology';
import type { GinParts } from './gin-struct.ts';

/** The state of a session. */
export interface GinBarrierState {
  net: GinParts;
  team: Team;
  handle: GinBarrierHandle;
  index: number;
  /** The first signal that is no more of these barriers. */
  limit: number;
  /** 1: over every context of the communicator. */
  allContexts: number;
}
