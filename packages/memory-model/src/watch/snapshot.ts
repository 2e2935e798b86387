import { Clock, type Who } from './clock.ts';
import type { FabricBridges } from './fabric-bridges.ts';

/**
 * A thread's clock at one time, for other threads to join. The clocks in it are shared from then
 * on.
 */
export interface Snapshot {
  readonly base: Clock;
  readonly extra: Clock | undefined;
  /** The thread itself, and the first of its stamps that is not covered. */
  readonly who: Who;
  readonly bound: number;
  /** The events that are ordered before a proxy fence on the path to here. */
  readonly bridged?: Clock | undefined;
  /** The same for the fences of the fabric proxy. */
  readonly fabric?: FabricBridges | undefined;
}

export function snapshotCovers({ base, extra, who, bound }: Snapshot, other: Who, stamp: number): boolean {
  return (other === who && stamp < bound) || base.covers(other, stamp) || (extra?.covers(other, stamp) ?? false);
}

/** True if snapshots together cover everything that `one` covers. */
export function isCoveredBy({ base, extra, who, bound }: Snapshot, snapshots: readonly Snapshot[]): boolean {
  const clocks = snapshots.flatMap((other) => (other.extra === undefined ? [other.base] : [other.base, other.extra]));
  const covers = (thread: Who, stamp: number): boolean =>
    snapshots.some((other) => snapshotCovers(other, thread, stamp));
  if (bound > 0 && !covers(who, bound - 1)) return false;
  return base.isWithin(clocks, covers) && (extra === undefined || extra.isWithin(clocks, covers));
}

/** Combines these snapshots into one, of the thread of the first. */
export function joinedSnapshot(first: Snapshot, ...others: readonly Snapshot[]): Snapshot {
  const base = new Clock(0);
  let bridged: Clock | undefined;
  let fabric: FabricBridges | undefined;
  // The threads of a CTA share most of their clocks.
  const joined = new Set<Clock | FabricBridges>();
  const isNew = (clock: Clock | FabricBridges | undefined): boolean => {
    if (clock === undefined || joined.has(clock)) return false;
    joined.add(clock);
    return true;
  };
  for (const snapshot of [first, ...others]) {
    for (const clock of [snapshot.base, snapshot.extra]) if (clock !== undefined && isNew(clock)) base.join(clock);
    base.raisePart(snapshot.who, snapshot.bound);
    if (snapshot.bridged !== undefined && isNew(snapshot.bridged)) (bridged ??= new Clock(0)).join(snapshot.bridged);
    if (snapshot.fabric === undefined || !isNew(snapshot.fabric)) continue;
    if (fabric === undefined) fabric = snapshot.fabric.clone();
    else fabric.join(snapshot.fabric);
  }
  return { base, extra: undefined, who: first.who, bound: 0, bridged, fabric };
}

/** Joins everything that a snapshot covers into `clock`. */
export function joinSnapshot(clock: Clock, { base, extra, who, bound }: Snapshot): void {
  clock.join(base);
  if (extra !== undefined) clock.join(extra);
  clock.raisePart(who, bound);
}

/**
 * The loads that have ended when a write takes effect: those `before` it, others that are known
 * (`learned`), and those of the write that it continues.
 */
export function overSnapshot(before: Snapshot, learned: Clock | undefined, continued: Snapshot | undefined): Snapshot {
  const others = continued === undefined ? [] : [continued];
  if (learned !== undefined) others.push({ base: learned, extra: undefined, who: before.who, bound: 0 });
  const all = joinedSnapshot(before, ...others);
  all.base.coversOver();
  return all;
}
