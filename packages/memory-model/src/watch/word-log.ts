import type { GroupClocks } from './group-clocks.ts';
import { KnownBeginnings } from './known-beginnings.ts';
import type { Who } from './clock.ts';
import { commutes, type LoggedChange, type VersionKind } from './logged-change.ts';
import { snapshotCovers, type Snapshot } from './snapshot.ts';
import type { EpochId } from './epochs.ts';
import { together, type Published } from './published.ts';
import type { SyncWord } from './sync-words.ts';
import { difference, holds, withLeast, type Want } from './want.ts';
import type { LoggedLoad, Witness } from './witnesses.ts';

/** Versions of a word that the next write need not follow in another run. */
export interface Beside {
  readonly isEmpty: boolean;
  /** True if `one`, which precedes the write in this run, is among them. */
  readonly has: (one: Version) => boolean;
}

/** The contents of a word during some time, with the writer. */
export interface Version {
  readonly kind: VersionKind;
  /** The name of the function, if it was one. */
  readonly applies?: string | undefined;
  readonly who: Who;
  readonly stamp: number;
  /** The newest epoch in the word's cell while the word has these contents. */
  readonly epoch: EpochId;
  /**
   * The clocks that a reader gets by it alone. For a read-modify-write, without those earlier in
   * its chain.
   */
  readonly alone: SyncWord | undefined;
  /** The same with those earlier in its chain. */
  readonly whole: SyncWord | undefined;
  /** The published clocks that matter to threads that do not read it. */
  readonly needed: readonly Published[];
  /**
   * For a change that reports a finished request: the poster of the request. A thread that waits
   * for the change waits at least for the requests that it is ordered after.
   */
  readonly request: LoggedRead | undefined;
  /** For a write by the network: all events before it was posted. */
  readonly posted: Snapshot | undefined;
  /** Its place among the versions of its word. */
  readonly number: number;
  /** The versions that precede it in this run but need not in another one. */
  readonly beside: Beside;
  /**
   * The reads that saw it. A thread that is ordered after one of them does not read older contents.
   */
  readonly readers: LoggedRead[];
  /** Its value, which becomes known at the next access of the word. */
  value: bigint | undefined;
}

/** A reader of a word, with the time. */
export interface LoggedRead {
  readonly who: Who;
  readonly stamp: number;
}

/**
 * A read that satisfied a wait. A separate agent represents it. Every thread that acts because of
 * the wait is ordered after that agent.
 */
export interface PassedRead extends LoggedRead {
  /**
   * The versions that it must have read to end, and the version that it could have read without
   * waiting.
   */
  readonly taken: readonly Version[];
  readonly base: Version | undefined;
  /** All events ordered before the wait, if it takes parts of a sum. */
  readonly known: Snapshot | undefined;
  /** Versions that were present and need not have been. */
  readonly beside: readonly Version[];
  /** The later versions that might have come earlier. */
  readonly later: Version[];
  readonly want: Want;
  readonly witnesses: readonly Witness[];
  /** For a sum: the amount that had to be added to the part that is present in any case. */
  readonly needed: bigint;
  /**
   * If the wait is for a sum of any amounts: the value of the word without the versions that need
   * not have been present.
   */
  readonly start: bigint | undefined;
}

/** All strong accesses to one word, in the order of the run. */
export class WordLog {
  /** Logs are numbered in order of creation. Runs with the same schedule have the same numbers. */
  readonly number: number;
  readonly address: number;
  readonly bytes: number;
  readonly #versions: Version[] = [];
  /** Those that add to the old value, or apply a function to it. */
  readonly #updates: Version[] = [];
  /** The same by the kind of change. */
  readonly #ofKind = new Map<string, Version[]>();
  readonly loads: LoggedLoad[] = [];
  readonly passed: PassedRead[] = [];
  readonly #known = { versions: new KnownBeginnings(), loads: new KnownBeginnings(), passed: new KnownBeginnings() };

  constructor(number: number, address: number, bytes: number) {
    this.number = number;
    this.address = address;
    this.bytes = bytes;
  }

  get versions(): readonly Version[] {
    return this.#versions;
  }

  get latest(): Version | undefined {
    return this.#versions.at(-1);
  }

  /** Adds the next version. */
  add(version: Omit<Version, 'number'>): Version {
    const added = { ...version, number: this.#versions.length };
    this.#versions.push(added);
    if (isUpdate(added)) this.#updates.push(added);
    const key = kindKey(version);
    const alike = this.#ofKind.get(key);
    if (alike === undefined) this.#ofKind.set(key, [added]);
    else alike.push(added);
    return added;
  }

  /** The versions that are not ordered before a write by `thread`, which is its next event. */
  beside(group: GroupClocks, thread: number): Beside {
    const before = group.eventsBefore(thread);
    const has = (one: Version): boolean =>
      !snapshotCovers(before, one.who, one.stamp) &&
      !one.readers.some(({ who, stamp }) => snapshotCovers(before, who, stamp));
    return { isEmpty: this.besides(group, thread).length === 0, has };
  }

  /** True if `change` may come before or after all of `beside` without a difference to the word. */
  commutes(change: LoggedChange, beside: Beside): boolean {
    if (beside.isEmpty) return true;
    const own = kindKey(change);
    for (const [key, versions] of this.#ofKind)
      if ((key !== own || !commutes(change)) && versions.some((one) => beside.has(one))) return false;
    return true;
  }

  /** The versions that are not ordered before the next event of `thread`. */
  besides(group: GroupClocks, thread: number): readonly Version[] {
    return this.#known.versions.others(this.#versions, group, thread, (one) => isKnown(group, thread, one));
  }

  /** The loads that are not. */
  loadsBeside(group: GroupClocks, thread: number): readonly LoggedLoad[] {
    return this.#known.loads.others(this.loads, group, thread, (load) => isBefore(group, thread, load));
  }

  /** The reads of waits that are not. */
  passedBeside(group: GroupClocks, thread: number): readonly PassedRead[] {
    return this.#known.passed.others(this.passed, group, thread, (read) => isBefore(group, thread, read));
  }

  /** True if the word has any of these bytes. */
  overlaps(address: number, bytes: number): boolean {
    return this.address < address + bytes && address < this.address + this.bytes;
  }

  /** True if the thread is ordered after a read that may have seen the write with this epoch. */
  hasSeen(group: GroupClocks, thread: number, epoch: EpochId): boolean {
    return this.#versions.some(
      (one) => one.epoch === epoch && one.readers.some((read) => isBefore(group, thread, read)),
    );
  }

  /** The clocks that a read gets if it sees, of `beside`, only these. */
  known(beside: readonly Version[], seen: readonly Pick<Version, 'who' | 'alone'>[] = []): readonly SyncWord[] {
    const without = new Set(beside);
    const added = this.#updates.filter((one) => !without.has(one));
    const base = this.#versions.findLast((one) => !without.has(one));
    const before = added.length > 0 || base?.whole === undefined ? [] : [base.whole];
    return [...before, ...byWriter([...added, ...seen])];
  }

  /** The amount that a version adds to the one before it. */
  amountOf(version: Version): bigint | undefined {
    const before = this.#versions[version.number - 1];
    if (before?.value === undefined || version.value === undefined) return undefined;
    return this.difference(version.value, before.value);
  }

  /** True if a value of the word satisfies a wait. `undefined` if that is unknown. */
  holds(want: Want, value: bigint | undefined): boolean | undefined {
    return holds(want, value, this.bytes);
  }

  /** The same want, with a least value if it is for increasing values. */
  withLeast(want: Want): Want {
    return withLeast(want, this.latest?.value, this.bytes);
  }

  /** `a - b`, wrapped around. */
  difference(a: bigint, b: bigint): bigint {
    return difference(a, b, this.bytes);
  }
}

/** True if the version, or a read that saw it, is ordered before the next event of `thread`. */
function isKnown(group: GroupClocks, thread: number, version: Version): boolean {
  return isBefore(group, thread, version) || version.readers.some((read) => isBefore(group, thread, read));
}

/** True if the event is ordered before the next event of `thread`. */
export function isBefore(group: GroupClocks, thread: number, { who, stamp }: LoggedRead): boolean {
  return group.isAfter(thread, who, stamp);
}

/** True if the writer ignores the old value that it changes. */
function isUpdate({ kind }: Version): boolean {
  return kind === 'add' || kind === 'apply';
}

/** True if `one` came after `other`, of the same word, in this run. */
export function isAfter(one: Version, other: Version): boolean {
  return one.number > other.number;
}

/** Changes with the same key give the same result in any order, if they `commute` at all. */
function kindKey({ kind, applies = '' }: Pick<Version, 'kind' | 'applies'>): string {
  return `${kind} ${applies}`;
}

/**
 * The clocks that a read of all of them gets: the last write of each thread or queue, with the
 * clocks that the earlier ones published.
 */
function byWriter(versions: readonly Pick<Version, 'who' | 'alone'>[]): readonly SyncWord[] {
  const words = new Map<Who, SyncWord>();
  for (const { who, alone } of versions) {
    if (alone === undefined) continue;
    const before = words.get(who)?.published ?? [];
    words.set(who, { ...alone, published: together([...alone.published, ...before]) });
  }
  return [...words.values()];
}
