import type { Who } from './clock.ts';
import { snapshotCovers } from './snapshot.ts';
import type { EpochId } from './epochs.ts';
import type { Version } from './word-log.ts';

/** True if the poster of a request knew of another one. */
export function isPostedAfter({ posted }: Version, { request }: Version): boolean {
  return posted !== undefined && request !== undefined && snapshotCovers(posted, request.who, request.stamp);
}

/** A version that the log found, or that plain writes have made. */
export function givenVersion(kind: 'initial' | 'plain', epoch: EpochId, value: bigint | undefined): Version {
  // Agent 0 is before every other. A plain write is ordered with all others, or there is a race.
  const nothing = {
    alone: undefined,
    whole: undefined,
    needed: [],
    request: undefined,
    posted: undefined,
    beside: new Set<Version>(),
    readers: [],
  };
  return { kind, who: 0, stamp: 0, epoch, ...nothing, value };
}

/**
 * Versions, with those of one queue in the order in which they were posted: later ones may bring
 * everything that earlier ones bring.
 */
export function byQueue(versions: readonly Version[]): readonly Version[] {
  const queues = new Map<Who, Version[]>();
  for (const one of versions) queues.set(one.who, [...(queues.get(one.who) ?? []), one]);
  for (const queue of queues.values()) queue.sort((a, b) => b.stamp - a.stamp);
  return versions.flatMap(({ who }) => queues.get(who)?.pop() ?? []);
}
