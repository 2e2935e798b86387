import type { GinBarrierHandle } from '@nccl-ts/devcomm';
import type { Team } from '@nccl-ts/topology';
import type { GinParts } from '../impl/gin-struct.ts';

/** The state of a session. */
export interface GinBarrierState {
  net: GinParts;
  team: Team;
  handle: GinBarrierHandle;
  index: number;
  /** The first signal that does not belong to these barriers. */
  limit: number;
  /** 1 if it covers every context of the communicator. */
  allContexts: number;
}
