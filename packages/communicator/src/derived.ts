import type { RankState } from './rank-state.ts';

/** What becomes of ranks of one world that are to be together: see `WorldState.derive`. */
export async function derived(lists: readonly (readonly RankState[])[]): Promise<ReadonlyMap<RankState, RankState>> {
  const [first] = lists.flat();
  return first === undefined ? new Map() : first.world.derive(lists);
}
