import { barrierCall, isAboveIn, type FindingLabel } from '@nccl-ts/findings';
import type { Race, SeenAccess } from '@nccl-ts/memory-model';
import type { CountedFinding } from '../counted-finding.ts';
import type { Participants } from '../participants.ts';
import { betweenLaunches } from './between-launches.ts';
import { nearMissOf, type StoryChange, type StoryLink, type StorySide, type StoryWait } from './near-miss.ts';
import { withNearMiss } from './near-miss-text.ts';
import {
  pointOf,
  type PastRead,
  type PastWrite,
  type StoryPoint,
  type StoryWord,
  type WordStories,
} from './word-stories.ts';

export interface RaceStorySource {
  readonly stories: WordStories;
  readonly participants: Participants;
  /** The time at which the request of a network access was posted. */
  readonly posted: (access: SeenAccess) => StoryPoint | undefined;
  /** The address of the first byte that the request of a network access writes. */
  readonly target: (access: SeenAccess) => number | undefined;
}

/** A race as it was first seen. */
interface FirstSighting extends Pick<Race, 'now' | 'before'> {
  /** The number of the last event before it. */
  readonly number: number;
  /** The reads by threads of its CTA that are ordered before the later access. */
  readonly met: ReadonlySet<PastRead>;
}

/** Tells of races which synchronization comes nearest to ordering them, and why it does not. */
export class RaceStories {
  readonly #source: RaceStorySource;
  readonly #first = new WeakMap<object, FirstSighting>();

  constructor(source: RaceStorySource) {
    this.#source = source;
  }

  /** Called when a race is seen for the first time. */
  see({ spread }: CountedFinding, { now, before, follows }: Race): void {
    const { stories } = this.#source;
    const met = new Set(
      follows === undefined ? [] : stories.readsBy(pointOf(now).agent).filter(({ access }) => follows(access)),
    );
    this.#first.set(spread, { now, before, number: stories.number, met });
  }

  /** The finding with the story so far, if there is one. */
  told(counted: CountedFinding): CountedFinding {
    const { finding, spread } = counted;
    const sighting = this.#first.get(spread);
    if (sighting === undefined) return counted;
    const telling = new Telling(this.#source, sighting.met);
    const { now, before, number } = sighting;
    const missing = withNearMiss(finding.missing, finding.labels, () => {
      const [late, early] = [telling.side(now, number, true), telling.side(before, number)];
      return (
        nearMissOf(late, early, (all, one) => telling.link(all, one)) ??
        betweenLaunches(late, early, this.#source.participants.streams, (rank) => telling.waitsOf(rank, number))
      );
    });
    return missing === finding.missing ? counted : { ...counted, finding: Object.freeze({ ...finding, missing }) };
  }
}

/** Converts the events around two accesses. */
class Telling {
  readonly #source: RaceStorySource;
  readonly #met: ReadonlySet<PastRead>;
  readonly #changes = new Map<PastWrite, StoryChange>();
  readonly #writes = new Map<StoryChange, PastWrite>();

  constructor(source: RaceStorySource, met: ReadonlySet<PastRead>) {
    this.#source = source;
    this.#met = met;
  }

  /** `number`: the last event before the later access. With `isLater`, this is the later one. */
  side(access: SeenAccess, number: number, isLater = false): StorySide {
    const { stories, participants, posted } = this.#source;
    const label = participants.label(access);
    const byNetwork = posted(access);
    const point = byNetwork ?? pointOf(access);
    const isHost = label.agent === 'host';
    const own = isHost ? this.#readsOfRank(label.rank) : stories.readsBy(point.agent);
    const reads = own.filter((read) => this.#waits(read));
    const writes = isHost ? [] : stories.writesBy(point.agent);
    const isBefore = (read: PastRead): boolean => {
      if (read.number > number) return false;
      if (isHost) return true;
      const stamps = read.point.stamp - point.stamp;
      if (stamps !== 0) return stamps < 0;
      if (isLater && byNetwork === undefined) return true;
      return isAboveIn(participants.label(read.access), label);
    };
    const comesAfter = ({ point: { stamp } }: PastWrite): boolean => stamp >= point.stamp;
    return {
      label,
      target: this.#source.target(access),
      waits: this.#lastOfEach(reads.filter(isBefore)).map((read) => this.#wait(read, label)),
      late: this.#lastOfEach(reads.filter((read) => !isBefore(read))).map((read) => this.#wait(read, label)),
      looks: [],
      earlier: writes.filter((write) => !comesAfter(write)).map((write) => this.#change(write)),
      later: writes.filter(comesAfter).map((write) => this.#change(write)),
    };
  }

  /**
   * Finds which of `changes` the CTA that made `change` had read before, if the link is too weak. A
   * relaxed change or read is strong enough between fences.
   */
  link(changes: readonly StoryChange[], change: StoryChange): StoryLink | undefined {
    const made = this.#writes.get(change);
    if (made === undefined) return undefined;
    const { stories, participants } = this.#source;
    for (const past of stories.readsBy(made.point.agent).toReversed()) {
      if (past.number >= made.number) continue;
      const read = changes.findLast(({ word, number }) => word === String(past.word.key) && number < past.number);
      const write = read === undefined ? undefined : this.#writes.get(read);
      if (read === undefined || write === undefined) continue;
      const by = participants.label(past.access);
      const lacks = !releases(read.by, write.fenced)
        ? 'release'
        : acquires(by, past, made.fenced)
          ? undefined
          : 'acquire';
      if (lacks !== undefined) return { change: read, read: this.#wait(past, by), lacks };
    }
    return undefined;
  }

  /** The waits of all kernels of a rank before an event, the oldest first. */
  waitsOf(rank: number, until: number): readonly StoryWait[] {
    const waits = this.#readsOfRank(rank).filter((read) => read.number <= until && this.#waits(read));
    return waits
      .toSorted((a, b) => a.number - b.number)
      .map((read) => this.#wait(read, this.#source.participants.label(read.access)));
  }

  /** The reads of all kernels of a rank, whose end its host has awaited. */
  #readsOfRank(rank: number): readonly PastRead[] {
    const { stories, participants } = this.#source;
    return stories.reads.filter(({ access }) => participants.label(access).rank === rank);
  }

  #waits({ isWait, access }: PastRead): boolean {
    return isWait || this.#source.participants.label(access).polls === true;
  }

  #wait(past: PastRead, label: FindingLabel): StoryWait {
    const { access, word, value, write, number } = past;
    const by = this.#source.participants.label(access);
    const at = this.#word(word);
    return {
      by,
      ...at,
      isBarrier: at.place.kind === 'lsaInbox' || barrierCall(by.place) !== undefined,
      isAbove: isAboveIn(by, label),
      isMet: this.#met.has(past),
      gaveUp: past.gaveUp === true,
      value,
      number,
      read: write === undefined ? undefined : this.#change(write),
    };
  }

  /** The last read of each thread, at each line, of each word and in each launch. */
  #lastOfEach(reads: readonly PastRead[]): readonly PastRead[] {
    const keyOf = ({ access, word }: PastRead): string =>
      [access.who, access.site, word.key, this.#source.participants.label(access).launch].join();
    const last = new Map(reads.map((read) => [keyOf(read), read]));
    return [...last.values()].toSorted((a, b) => a.number - b.number);
  }

  #change(write: PastWrite): StoryChange {
    const known = this.#changes.get(write);
    if (known !== undefined) return known;
    const { access, word, value, number } = write;
    const by = this.#source.participants.label(access);
    const change = { by, ...this.#word(word), value, number, target: this.#source.target(access) };
    this.#changes.set(write, change);
    this.#writes.set(change, write);
    return change;
  }

  #word(word: StoryWord): Pick<StoryChange, 'word' | 'place'> {
    return { word: String(word.key), place: this.#source.stories.placeOf(word) };
  }
}

/** True if a change releases what its thread did before, by its order or by a fence. */
function releases({ access }: FindingLabel, fenced: number): boolean {
  return access?.order === 'release' || access?.order === 'acq_rel' || access?.order === 'seq_cst' || fenced > 0;
}

/** True if a read acquires, by its order or by a fence of its thread before a later write. */
function acquires({ access }: FindingLabel, { point }: PastRead, fenced: number): boolean {
  return (
    access?.order === 'acquire' || access?.order === 'acq_rel' || access?.order === 'seq_cst' || fenced > point.stamp
  );
}
