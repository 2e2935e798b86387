import type { CommunicatorGroup } from './group.ts';
import type { WorldCore } from '../world/world-core.ts';
import type { RankState } from './rank-state.ts';

/** The state that the communicators of one world share, and the communicators themselves. */
export interface WorldState extends WorldCore {
  /** The group of all ranks, and those that were derived from it and have not ended. */
  readonly groups: Set<CommunicatorGroup>;
  /** The open communicators of this process, of all groups, in the order of creation. */
  readonly communicators: Set<RankState>;
  /**
   * Creates a communicator of the ranks in each of the lists, in the order of the list. Returns the
   * communicator of each.
   */
  readonly derive: (lists: readonly (readonly RankState[])[]) => Promise<ReadonlyMap<RankState, RankState>>;
}
