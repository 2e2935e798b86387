import { at } from '@nccl-ts/core';
import { agentOf } from './clock.ts';
import type { EpochId, Epochs } from './epochs.ts';

/** Up to this number of racing accesses to a word are all kept. */
export const KEPT = 16;

/**
 * At most this number of `epochs`, oldest first, that may each reveal another pair of source
 * positions. If there are few, these are all. Otherwise they are the newest of two threads for each
 * position and agent. If those are too many, they are the newest of two agents for each position.
 * The last one stays the last.
 *
 * Used for accesses some of which have raced: the program is wrong in any case, and the same
 * positions from other threads add nothing. Among accesses that have not raced, each may be the
 * only one that nothing orders before a later access.
 */
export function thinned(epochs: readonly EpochId[], { who, site, mask }: Epochs, most: number = KEPT): EpochId[] {
  if (epochs.length <= most) return [...epochs];
  const agent = (id: EpochId): number => agentOf(at(who, id));
  const place = (id: EpochId): number => at(site, id) * 16 + at(mask, id);
  const two = (keyOf: (id: EpochId) => number, from: readonly EpochId[]): EpochId[] => {
    const groups = new Map<number, EpochId[]>();
    for (const id of from.toReversed()) {
      const key = keyOf(id);
      const group = groups.get(key);
      if (group === undefined) groups.set(key, [id]);
      else group.push(id);
    }
    const kept = new Set<EpochId>();
    for (const group of groups.values()) {
      const newest = at(group, 0);
      const other =
        group.find((id) => agent(id) !== agent(newest)) ?? group.find((id) => at(who, id) !== at(who, newest));
      kept.add(newest);
      if (other !== undefined) kept.add(other);
    }
    return from.filter((id) => kept.has(id));
  };
  const byAgent = two((id) => place(id) * 2 ** 22 + agent(id), epochs);
  return byAgent.length <= most ? byAgent : two(place, byAgent);
}
