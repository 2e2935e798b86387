import type { RankState } from './rank-state.ts';

/** The new communicators of ranks of one world: see `WorldState.derive`. */
export async function derived(lists: readonly (readonly RankState[])[]): Promise<ReadonlyMap<RankState, RankState>> {
  const [first] = lists.flat();
  return first === undefined ? new Map() : first.world.derive(lists);
}
