import { at } from '@nccl-ts/core';
import { agentOf } from './clock.ts';
import type { EpochId, Epochs } from './epochs.ts';

/** The most racing accesses to a word that are all kept. */
export const KEPT = 16;

/**
 * The most racing plain stores to a word that are all kept. They may store one value. Then they are
 * no error, and each may be the only one that races with a later access.
 */
export const STORES = 256;

/**
 * Selects at most `most` of `epochs`, oldest first, so that each may reveal another pair of source
 * locations. If there are few, all are kept. Otherwise, for each location and agent, the newest of
 * two threads are kept. If those are too many, the newest of two agents are kept for each location.
 * The last one stays the last.
 *
 * Use it only for accesses some of which have raced. The program is wrong in any case, and the same
 * locations in other threads add nothing. Accesses that have not raced must all be kept, because
 * each may be the only one that races with a later access.
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
