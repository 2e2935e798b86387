import { agentOf, snapshotCovers } from './clock.ts';
import type { EpochId, Epochs } from './epochs.ts';
import type { GroupClocks, MissedEdge } from './group-clocks.ts';
import type { Missing, SeenAccess } from './race.ts';

/**
 * What would have ordered `before` and what `thread` does now: the nearest thing that was there and fell short.
 *
 * - Somebody else of the group is ordered after it: the threads did not meet in between.
 * - Somebody else of the other's group is ordered before this: that one did not meet the one that accessed.
 * - A flag was read, by this thread or one of its group, whose write comes after it: the write does not release, the read does not
 *   acquire, or scopes fall short.
 */
export function explainRace(
  group: GroupClocks,
  thread: number,
  before: EpochId,
  epochs: Epochs,
  isNetwork: (agent: number) => boolean,
): Missing {
  const who = epochs.who[before] ?? 0;
  const stamp = epochs.stamp[before] ?? 0;
  const agent = agentOf(who);
  if (isNetwork(agent)) return { reason: 'completion' };
  for (let t = 0; t < group.threads; t++) {
    const extra = group.extra[t];
    if (t !== thread && extra !== undefined && extra.covers(who, stamp)) {
      return { reason: 'coop-sync', at: { who: group.whoBase + t, stamp: group.stamp, site: -1 } };
    }
  }
  if (agent === group.agent) return { reason: 'coop-sync' };
  const sibling = siblingBefore(group, thread, agent, who, stamp);
  if (sibling !== undefined) return { reason: 'coop-sync', at: sibling };
  const missed = nearest(group, thread, (edge) => snapshotCovers(edge.before, who, stamp));
  if (missed !== undefined) return { reason: missed.reason, at: accessOf(missed, group, epochs) };
  return { reason: 'synchronisation' };
}

/** A thread of the other's group that this one is ordered after, at a later moment. */
function siblingBefore(
  group: GroupClocks,
  thread: number,
  agent: number,
  who: number,
  stamp: number,
): SeenAccess | undefined {
  for (const clock of [group.extra[thread], group.base]) {
    if (clock === undefined) continue;
    for (const [other, bound] of clock.parts) {
      if (other !== who && agentOf(other) === agent && bound > stamp) return { who: other, stamp: bound - 1, site: -1 };
    }
  }
  return undefined;
}

function nearest(group: GroupClocks, thread: number, fits: (edge: MissedEdge) => boolean): MissedEdge | undefined {
  const edges = group.missed.filter(fits);
  return edges.findLast((edge) => edge.reader === thread) ?? edges.at(-1);
}

/** The statement to change: the write, where it does not release; else the read. */
function accessOf(edge: MissedEdge, group: GroupClocks, { who, stamp, site }: Epochs): SeenAccess {
  if (edge.reason === 'release' || edge.reason === 'scope') {
    const { writeId } = edge;
    return { who: who[writeId] ?? 0, stamp: stamp[writeId] ?? 0, site: site[writeId] ?? 0 };
  }
  return { who: group.whoBase + edge.reader, stamp: group.stamp, site: edge.readSite };
}
