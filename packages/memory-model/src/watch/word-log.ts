import type { GroupClocks } from './group-clocks.ts';
import type { Snapshot, Who } from './clock.ts';
import type { EpochId } from './epochs.ts';
import { together, type Published } from './published.ts';
import type { SyncWord } from './sync-words.ts';
import { difference, holds, withLeast, type Want } from './want.ts';
import type { LoggedLoad, Witness } from './witnesses.ts';

/**
 * How a word came to hold what it holds: as the log found it; by a strong store; by adding to it,
 * or applying a function to it, which nobody asked about; by any other read-modify-write; or by
 * plain writes, of which the log is not told.
 */
export type VersionKind = 'initial' | 'store' | 'add' | 'apply' | 'modify' | 'plain';

/** What a word held for a while, and who wrote that. */
export interface Version {
  readonly kind: VersionKind;
  /** Which function, where it was one. */
  readonly applies?: string | undefined;
  readonly who: Who;
  readonly stamp: number;
  /** The newest epoch in the word's cell, for as long as this is what it holds. */
  readonly epoch: EpochId;
  /**
   * What whoever reads it gets by it alone; of a read-modify-write, without what came before in its
   * chain.
   */
  readonly alone: SyncWord | undefined;
  /** The same with all that came before in its chain. */
  readonly whole: SyncWord | undefined;
  /** What it publishes that makes a difference to who does not read it. */
  readonly needed: readonly Published[];
  /**
   * Of what tells that a request is done: who has made the request. Who waits for it waits at least
   * for requests that it knows of.
   */
  readonly request: LoggedRead | undefined;
  /** Of what the network writes: all that was before it was posted. */
  readonly posted: Snapshot | undefined;
  /** Versions before it in this run that need not be before it in another one. */
  readonly beside: ReadonlySet<Version>;
  /** Reads by which it was seen: who knows of one of them does not read what was there before. */
  readonly readers: LoggedRead[];
  /** What it held; known once somebody asks for the word again. */
  value: bigint | undefined;
}

/** Who has read a word, and when. */
export interface LoggedRead {
  readonly who: Who;
  readonly stamp: number;
}

/**
 * A read by which a wait has passed: in the name of an agent of its own, whom everybody knows of
 * who does something only because of it.
 */
export interface PassedRead extends LoggedRead {
  /** What it must have read to pass, and the version that it could have read without waiting. */
  readonly taken: readonly Version[];
  readonly base: Version | undefined;
  /** All that was ordered before the wait, where it takes parts of a sum. */
  readonly known: Snapshot | undefined;
  /** Versions that were there and need not have been. */
  readonly beside: readonly Version[];
  /** Those that came later, and might have come earlier. */
  readonly later: Version[];
  readonly want: Want;
  readonly witnesses: readonly Witness[];
  /** Of a sum: how much was to be added to what was there in any case. */
  readonly needed: bigint;
}

/** All strong accesses to one word, in the order of one run. */
export class WordLog {
  /** Logs are numbered as they come: the same in every run that goes the same way. */
  readonly number: number;
  readonly address: number;
  readonly bytes: number;
  readonly versions: Version[] = [];
  readonly loads: LoggedLoad[] = [];
  readonly passed: PassedRead[] = [];

  constructor(number: number, address: number, bytes: number) {
    this.number = number;
    this.address = address;
    this.bytes = bytes;
  }

  get latest(): Version | undefined {
    return this.versions.at(-1);
  }

  /** Versions of which `thread` does not know that they come before what it does next. */
  besides(group: GroupClocks, thread: number): readonly Version[] {
    return this.versions.filter(
      (one) => !isBefore(group, thread, one) && !one.readers.some((read) => isBefore(group, thread, read)),
    );
  }

  /** What a read gets that sees none of `beside`, but these. */
  known(beside: readonly Version[], seen: readonly Pick<Version, 'who' | 'alone'>[] = []): readonly SyncWord[] {
    const added = this.versions.filter((one) => isUpdate(one) && !beside.includes(one));
    const base = this.versions.findLast((one) => !beside.includes(one));
    const before = added.length > 0 || base?.whole === undefined ? [] : [base.whole];
    return [...before, ...byWriter([...added, ...seen])];
  }

  /** By how much a version is more than the one before it. */
  amountOf(version: Version): bigint | undefined {
    const before = this.versions[this.versions.indexOf(version) - 1];
    if (before?.value === undefined || version.value === undefined) return undefined;
    return this.difference(version.value, before.value);
  }

  /** True if a value of the word lets a wait pass; `undefined` where nobody can say. */
  holds(want: Want, value: bigint | undefined): boolean | undefined {
    return holds(want, value, this.bytes);
  }

  /** The same want, with the least value where it is for values that rise. */
  withLeast(want: Want): Want {
    return withLeast(want, this.latest?.value, this.bytes);
  }

  /** `a - b`, as words go round. */
  difference(a: bigint, b: bigint): bigint {
    return difference(a, b, this.bytes);
  }
}

/** True if what was done is ordered before what `thread` does next. */
export function isBefore(group: GroupClocks, thread: number, { who, stamp }: LoggedRead): boolean {
  return group.isAfter(thread, who, stamp);
}

/** True if it goes on from what was there in a way of which nobody asks what that was. */
function isUpdate({ kind }: Version): boolean {
  return kind === 'add' || kind === 'apply';
}

/** True if `one` came after `other` in this run. */
export function isAfter(log: WordLog, one: Version, other: Version): boolean {
  return log.versions.indexOf(one) > log.versions.indexOf(other);
}

/**
 * What reading all of them gives: for each thread or queue its last write, with what the ones
 * before published too.
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
