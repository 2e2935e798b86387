import { includes, PLAIN, widthOf, type ThreadCoordinates } from '../scope.ts';
import type { PlaceOf, SiteTable } from './accesses.ts';
import { agentOf, threadOf } from './clock.ts';
import { snapshotCovers } from './snapshot.ts';
import type { EpochId, Epochs } from './epochs.ts';
import type { GroupClocks } from './group-clocks.ts';
import type { MissedEdge } from './missed-edge.ts';
import { byteAt, numberAt } from './number-at.ts';
import type { Missing, Race, SeenAccess } from './race.ts';
import type { Shadow } from './shadow.ts';

export interface RaceContext {
  readonly epochs: Epochs;
  readonly sites: SiteTable;
  readonly coordinatesOf: PlaceOf;
  /** The stamps at which all threads of an agent have synchronized. */
  readonly metOf: (agent: number) => readonly number[];
}

/** The current access of a thread, and an earlier one with which it races. */
export interface RacedAccess {
  readonly group: GroupClocks;
  readonly thread: number;
  readonly site: number;
  readonly before: EpochId;
  readonly shadow: Shadow;
  readonly address: number;
  readonly bytes: number;
}

/** The race of two accesses. With `explains`, it says what would have ordered them. */
export function raceOf(raced: RacedAccess, context: RaceContext, explains: boolean): Race {
  const { group, thread, site, before, address, bytes } = raced;
  const now = currentAccess(group, thread, site);
  const race = { kind: 'race', now, before: seenAt(before, context.epochs), beforeId: before, address, bytes } as const;
  if (!explains) return { ...race, missing: [] };
  const follows = ({ who, stamp }: SeenAccess): boolean => group.isAfter(thread, who, stamp);
  return { ...race, missing: explainRace(raced, context), follows };
}

/**
 * Finds the synchronization that would have ordered `before` and the current access of `thread`.
 * Returns the partial synchronizations, nearest first.
 *
 * - One of them is a bulk copy: no wait for it is ordered before the other.
 * - One of the two is plain, or of another size. Both accesses to a polled word must be strong.
 * - Another thread of the group is ordered after it, but the threads did not synchronize in
 *   between.
 * - Another thread of the other's group is ordered before this one, but did not synchronize with
 *   the thread that accessed.
 * - This thread or one of its group has read a flag whose write comes after it. The write does not
 *   release, the read does not acquire, or a scope is too narrow.
 */
function explainRace(raced: RacedAccess, context: RaceContext): readonly Missing[] {
  const { group, thread, site, before } = raced;
  const strength = strengths(group, thread, site, before, context);
  if (strength?.reason === 'scope') return [strength];
  const rest = orders(raced, context);
  const nothing = rest.every(({ reason }) => reason === 'synchronisation');
  if (strength === undefined) return rest;
  return nothing ? [strength, ...rest] : [...rest, strength];
}

/**
 * The reason why the two accesses are not strong for each other, if at least one of them is strong.
 */
function strengths(
  group: GroupClocks,
  thread: number,
  site: number,
  before: EpochId,
  { epochs, sites, coordinatesOf: placeOf }: RaceContext,
): Missing | undefined {
  const here = group.siteBase + site;
  const there = numberAt(epochs.site, before);
  const a = widthOf(byteAt(sites.widths, here));
  const b = widthOf(byteAt(sites.widths, there));
  if (a === PLAIN && b === PLAIN) return undefined;
  // No order of a thread's access makes it strong for a reduction of the fabric.
  if (sites.fabric[here] !== sites.fabric[there]) return undefined;
  const now = currentAccess(group, thread, site);
  if (a === PLAIN) return { reason: 'strong', at: now };
  if (b === PLAIN || sites.bytes[here] !== sites.bytes[there]) return { reason: 'strong', at: seenAt(before, epochs) };
  const who = numberAt(epochs.who, before);
  const accessor = placeOf(agentOf(who));
  const other: ThreadCoordinates = { ...accessor, thread: accessor.firstThread + threadOf(who) };
  return { reason: 'scope', at: includes(a, group.coordinates(thread), other) ? seenAt(before, epochs) : now };
}

function orders(raced: RacedAccess, context: RaceContext): readonly Missing[] {
  const { group, thread, site, before } = raced;
  const { epochs, metOf, coordinatesOf: placeOf } = context;
  const { who, stamp } = seenAt(before, epochs);
  const agent = agentOf(who);
  const { kind, of: owner } = placeOf(agent);
  const areCopies = COPIES.has(kind) && COPIES.has(placeOf(group.agent).kind);
  if (areCopies) return [{ reason: 'completion', at: seenAt(before, epochs) }];
  const met = agent === group.agent ? lastMeeting(group, thread, stamp) : undefined;
  if (met !== undefined) return [{ reason: 'coop-sync', at: met }];
  for (let t = 0; t < group.threads; t++) {
    const isOther = t !== thread && group.whoBase + t !== who;
    if (isOther && group.extra[t]?.covers(who, stamp) === true)
      return [{ reason: 'coop-sync', at: { who: group.whoBase + t, stamp: group.stamp, site: -1 } }];
  }
  if (COPIES.has(kind)) {
    // The CTA of a copy has told this one something, but not that the copy is over.
    const told = kind === 'bulk' && owner !== group.agent ? toldBy(group, thread, owner, epochs) : undefined;
    return [{ reason: 'completion', at: told ?? seenAt(before, epochs) }];
  }
  if (isOfFirstBytes(raced, context)) return [{ reason: 'completion', at: currentAccess(group, thread, site) }];
  if (agent === group.agent) return [{ reason: 'coop-sync' }];
  const missed = nearest(group, thread, (edge) => snapshotCovers(edge.before, who, stamp));
  if (missed !== undefined) return shortcomings(missed, who, stamp, raced, context);
  const own = releasedBefore(group, thread, who, placeOf);
  if (own !== undefined) return [{ reason: 'synchronisation', at: own }];
  const sibling = siblingBefore(group, thread, who, (bound) => bound > stamp);
  if (sibling !== undefined) return [{ reason: 'coop-sync', at: sibling }];
  // The releasing thread of that group had not synchronized with this one, which arrived too late.
  const earlier = siblingBefore(group, thread, who, () => true);
  if (earlier === undefined) return [{ reason: 'synchronisation' }];
  // If all of them synchronized between the release and the access, the access comes after the
  // release, which cannot order it.
  const haveMet = metOf(agent).some((meeting) => meeting >= earlier.stamp && meeting < stamp);
  return haveMet ? [{ reason: 'synchronisation' }] : [{ reason: 'coop-sync', at: earlier }];
}

/** The agents that work beside the threads that asked for it. */
const COPIES: ReadonlySet<string> = new Set(['bulk', 'store', 'fabric']);

/** True if a copy stores to bytes that a thread has read, though nobody had written them. */
function isOfFirstBytes(
  { group, shadow, address }: RacedAccess,
  { epochs, coordinatesOf: placeOf }: RaceContext,
): boolean {
  // Agent 0 holds the initial contents.
  return COPIES.has(placeOf(group.agent).kind) && shadow.writesAt(address).every((id) => epochs.who[id] === 0);
}

/** The last barrier of some threads of the group to which `thread` came at `since` or later. */
function lastMeeting(group: GroupClocks, thread: number, since: number): SeenAccess | undefined {
  const who = group.whoBase + thread;
  const last = lastEvent(group, thread, who);
  return last?.isShared === true && last.stamp >= since ? { who, stamp: last.stamp, site: -1 } : undefined;
}

/** The release by `who`, of the same cluster, that this thread is ordered after. */
function releasedBefore(
  group: GroupClocks,
  thread: number,
  who: number,
  placeOf: RaceContext['coordinatesOf'],
): SeenAccess | undefined {
  if (group.cluster === undefined || placeOf(agentOf(who)).cluster !== group.cluster) return undefined;
  const last = lastEvent(group, thread, who);
  return last?.isShared === false ? { who, stamp: last.stamp, site: -1 } : undefined;
}

/**
 * The last event of `who` that `thread` has learned of since all threads of its group met. It is
 * shared if it is a barrier, at which all who came have the same stamp.
 */
function lastEvent(
  group: GroupClocks,
  thread: number,
  who: number,
): { readonly stamp: number; readonly isShared: boolean } | undefined {
  const parts = group.extra[thread]?.parts;
  const bound = parts?.get(who);
  if (parts === undefined || bound === undefined || bound === 0) return undefined;
  const isShared = [...parts.entries()].some(
    ([other, its]) => other !== who && agentOf(other) === agentOf(who) && its === bound,
  );
  return { stamp: bound - 1, isShared };
}

/** Another thread of `who`'s group that this one is ordered after. */
function siblingBefore(
  group: GroupClocks,
  thread: number,
  who: number,
  fits: (bound: number) => boolean,
): SeenAccess | undefined {
  for (const clock of [group.extra[thread], group.base]) {
    if (clock === undefined) continue;
    for (const [other, bound] of clock.parts.entries()) {
      if (other !== who && agentOf(other) === agentOf(who) && fits(bound)) {
        return { who: other, stamp: bound - 1, site: -1 };
      }
    }
  }
  return undefined;
}

/** The last word of an agent that `thread`, or else another thread of its group, has read. */
function toldBy(group: GroupClocks, thread: number, agent: number | undefined, epochs: Epochs): SeenAccess | undefined {
  const edge = nearest(group, thread, ({ writeId }) => agentOf(numberAt(epochs.who, writeId)) === agent);
  return edge === undefined ? undefined : seenAt(edge.writeId, epochs);
}

function nearest(group: GroupClocks, thread: number, fits: (edge: MissedEdge) => boolean): MissedEdge | undefined {
  const edges = group.missed.all.filter(fits);
  return edges.findLast((edge) => edge.reader === thread) ?? edges.at(-1);
}

/**
 * The reasons why a flag that was written after one access and read before another does not order
 * the two.
 */
function shortcomings(
  edge: MissedEdge,
  who: number,
  stamp: number,
  { group }: RacedAccess,
  { epochs }: RaceContext,
): readonly Missing[] {
  const write = seenAt(edge.writeId, epochs);
  const read = { who: group.whoBase + edge.reader, stamp: group.stamp, site: edge.readSite };
  if (edge.misses === 'strong') return [{ reason: 'strong', at: read }];
  const released = edge.published.filter(({ snapshot }) => snapshotCovers(snapshot, who, stamp));
  const missing: Missing[] = [];
  if (edge.misses === 'scope') missing.push({ reason: 'scope', at: write });
  if (released.length === 0) missing.push({ reason: 'release', at: write });
  if (!edge.acquires) missing.push({ reason: 'acquire', at: read });
  if (missing.length > 0) return missing;
  // If a release reaches the reader, then what acquires does not reach the writer.
  const me = group.coordinates(edge.reader);
  return [{ reason: 'scope', at: released.some(({ width, by }) => includes(width, by, me)) ? read : write }];
}

/** The access of an epoch. */
export function seenAt(id: EpochId, { who, stamp, site }: Epochs): SeenAccess {
  return { who: numberAt(who, id), stamp: numberAt(stamp, id), site: numberAt(site, id) };
}

/** The access of a thread at this time. */
export function currentAccess(group: GroupClocks, thread: number, site: number): SeenAccess {
  return { who: group.whoBase + thread, stamp: group.stamp, site: group.siteBase + site };
}
