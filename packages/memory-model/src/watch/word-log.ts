import type { GroupClocks } from './group-clocks.ts';
import type { Who } from './clock.ts';
import type { Snapshot } from './snapshot.ts';
import type { EpochId } from './epochs.ts';
import { together, type Published } from './published.ts';
import type { SyncWord } from './sync-words.ts';
import { difference, holds, withLeast, type Want } from './want.ts';
import type { LoggedLoad, Witness } from './witnesses.ts';

/**
 * The origin of a word's contents: found by the log; a strong store; an addition or a function
 * applied whose old value is ignored; any other read-modify-write; or plain writes, which the log
 * does not see.
 */
export type VersionKind = 'initial' | 'store' | 'add' | 'apply' | 'modify' | 'plain';

/** The contents of a word for a while, with the writer. */
export interface Version {
  readonly kind: VersionKind;
  /** The name of the function, if it was one. */
  readonly applies?: string | undefined;
  readonly who: Who;
  readonly stamp: number;
  /** The newest epoch in the word's cell until the word loses these contents. */
  readonly epoch: EpochId;
  /**
   * The clocks that a reader gets by it alone; of a read-modify-write, without those earlier in its
   * chain.
   */
  readonly alone: SyncWord | undefined;
  /** The same with those earlier in its chain. */
  readonly whole: SyncWord | undefined;
  /** The published clocks that matter to threads that do not read it. */
  readonly needed: readonly Published[];
  /**
   * For a change that reports a finished request: the poster of the request. A thread that waits
   * for it waits at least for requests that it knows of.
   */
  readonly request: LoggedRead | undefined;
  /** For a write by the network: everything before it was posted. */
  readonly posted: Snapshot | undefined;
  /** Versions before it in this run that need not be before it in another one. */
  readonly beside: ReadonlySet<Version>;
  /** Reads that saw it: a thread that knows one of them does not read older contents. */
  readonly readers: LoggedRead[];
  /** Its value; known once the word is accessed again. */
  value: bigint | undefined;
}

/** A reader of a word, with the time. */
export interface LoggedRead {
  readonly who: Who;
  readonly stamp: number;
}

/**
 * A read by which a wait has passed: represented by an agent of its own, which is known to every
 * thread that does something only because of it.
 */
export interface PassedRead extends LoggedRead {
  /**
   * The versions that it must have read to pass, and the version that it could have read without
   * waiting.
   */
  readonly taken: readonly Version[];
  readonly base: Version | undefined;
  /** Everything that was ordered before the wait, if it takes parts of a sum. */
  readonly known: Snapshot | undefined;
  /** Versions that were present and need not have been. */
  readonly beside: readonly Version[];
  /** Later versions that might have come earlier. */
  readonly later: Version[];
  readonly want: Want;
  readonly witnesses: readonly Witness[];
  /** For a sum: the amount that had to be added to the part present in any case. */
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

  /** Versions that `thread` does not know to be before its next event. */
  besides(group: GroupClocks, thread: number): readonly Version[] {
    return this.versions.filter(
      (one) => !isBefore(group, thread, one) && !one.readers.some((read) => isBefore(group, thread, read)),
    );
  }

  /** The clocks that a read gets that sees none of `beside` except these. */
  known(beside: readonly Version[], seen: readonly Pick<Version, 'who' | 'alone'>[] = []): readonly SyncWord[] {
    const added = this.versions.filter((one) => isUpdate(one) && !beside.includes(one));
    const base = this.versions.findLast((one) => !beside.includes(one));
    const before = added.length > 0 || base?.whole === undefined ? [] : [base.whole];
    return [...before, ...byWriter([...added, ...seen])];
  }

  /** The amount that a version adds to the one before it. */
  amountOf(version: Version): bigint | undefined {
    const before = this.versions[this.versions.indexOf(version) - 1];
    if (before?.value === undefined || version.value === undefined) return undefined;
    return this.difference(version.value, before.value);
  }

  /** True if a value of the word lets a wait pass; `undefined` if it is unknown. */
  holds(want: Want, value: bigint | undefined): boolean | undefined {
    return holds(want, value, this.bytes);
  }

  /** The same want, with a least value if it is for values that rise. */
  withLeast(want: Want): Want {
    return withLeast(want, this.latest?.value, this.bytes);
  }

  /** `a - b`, wrapping around. */
  difference(a: bigint, b: bigint): bigint {
    return difference(a, b, this.bytes);
  }
}

/** True if the event is ordered before the next event of `thread`. */
export function isBefore(group: GroupClocks, thread: number, { who, stamp }: LoggedRead): boolean {
  return group.isAfter(thread, who, stamp);
}

/** True if it changes the old contents in a way that ignores their value. */
function isUpdate({ kind }: Version): boolean {
  return kind === 'add' || kind === 'apply';
}

/** True if `one` came after `other` in this run. */
export function isAfter(log: WordLog, one: Version, other: Version): boolean {
  return log.versions.indexOf(one) > log.versions.indexOf(other);
}

/**
 * The clocks that reading all of them gives: for each thread or queue its last write, with those
 * published by the earlier ones.
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
