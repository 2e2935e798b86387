import type { Who } from './clock.ts';
import { snapshotCovers } from './snapshot.ts';
import type { EpochId } from './epochs.ts';
import type { Beside, Version } from './word-log.ts';

/** True if the poster of a request was ordered after another request. */
export function isPostedAfter({ posted }: Version, { request }: Version): boolean {
  return posted !== undefined && request !== undefined && snapshotCovers(posted, request.who, request.stamp);
}

/** Of a write that follows all earlier ones in every run. */
export const nothingBeside: Beside = Object.freeze({ isEmpty: true, has: () => false });

/** The same without the versions of one writer. */
export function besideOthers({ isEmpty, has }: Beside, who: Who): Beside {
  return { isEmpty, has: (one) => one.who !== who && has(one) };
}

/**
 * True if a write has the same value in every run, if the log has no doubt: no other write may come
 * between it and the one before it.
 */
export function isOrdered({ kind }: Version): boolean {
  return kind === 'store' || kind === 'modify';
}

/** A version that the log found, or that plain writes have made. */
export function givenVersion(
  kind: 'initial' | 'plain',
  epoch: EpochId,
  value: bigint | undefined,
): Omit<Version, 'number'> {
  // Agent 0 precedes every other agent. A plain write is either ordered with all others or races.
  const nothing = {
    alone: undefined,
    whole: undefined,
    needed: [],
    request: undefined,
    posted: undefined,
    beside: nothingBeside,
    readers: [],
  };
  return { kind, who: 0, stamp: 0, epoch, ...nothing, value };
}

/**
 * Sorts the versions of each queue by the order in which they were posted, because later ones may
 * have all clocks of earlier ones.
 */
export function byQueue(versions: readonly Version[]): readonly Version[] {
  const queues = new Map<Who, Version[]>();
  for (const one of versions) queues.set(one.who, [...(queues.get(one.who) ?? []), one]);
  for (const queue of queues.values()) queue.sort((a, b) => b.stamp - a.stamp);
  return versions.flatMap(({ who }) => queues.get(who)?.pop() ?? []);
}
