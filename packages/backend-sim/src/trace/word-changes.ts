import { at as itemAt } from '@nccl-ts/core';
import type { FlowPoint } from '@nccl-ts/timeline';
import { f64At, grown, i32At, u32At } from './typed-items.ts';

/** A change of a word, as of a simulated time. */
export interface WordChange {
  /** When its rank could see it. */
  readonly time: number;
  /** The source of the change, which its arrow leaves. */
  readonly source: FlowPoint;
  /** The rank: of changes at one time, that of the highest rank counts as the last. */
  readonly rank: number;
  /** The name of the arrow from there. */
  readonly name: ChangeName;
}

const names = ['store', 'atomic', 'signal', 'complete'] as const;

/** The cause of a change. */
export type ChangeName = (typeof names)[number];

/** Bits of a change's kind below the rank. */
const RANK = 3;

/** Where and when a change of a word was made. */
export interface ChangeSource {
  readonly rank: number;
  readonly track: number;
  /** When the change was made, and when the word's rank can see it. */
  readonly made: number;
  readonly seen: number;
  readonly name: ChangeName;
}

/** As `WordChanges.isBefore`. */
export function comesBefore(a: WordChange, b: WordChange): boolean {
  return a.time < b.time || (a.time === b.time && a.rank < b.rank);
}

/** The most bytes of a word, in words of 4 bytes. */
export const LANES = 4;

/** No change. */
export const NONE = -1;

/** Room at first. It doubles when it is full. */
const FIRST_ROOM = 1024;

/** The numbers of a change that are next to each other: all lie in one or two lines of a cache. */
const field = { older: 0, track: 1, kind: 2, value: 3 } as const;
const FIELDS = 8;

/** The times of a change: when it could be seen, and when it was made. */
const TIMES = 2;

/**
 * The changes of all words, in arrays, because a launch may make millions. A change is a number.
 * Those of one word are a list, the latest first.
 */
export class WordChanges {
  #times = new Float64Array(FIRST_ROOM * TIMES);
  /** `FIELDS` numbers each. The kind is the rank, the name, and 1 if the change adds. */
  #fields = new Int32Array(FIRST_ROOM * FIELDS);
  #used = 0;
  /** The first of the changes that are free, which are a list too. */
  #free = NONE;

  time(change: number): number {
    return f64At(this.#times, change * TIMES);
  }

  track(change: number): number {
    return i32At(this.#fields, change * FIELDS + field.track);
  }

  /** The next older change of the same word. */
  older(change: number): number {
    return i32At(this.#fields, change * FIELDS + field.older);
  }

  link(change: number, older: number): void {
    this.#fields[change * FIELDS + field.older] = older;
  }

  /** True if it adds its value, in any order with others; false if its value is the new one. */
  adds(change: number): boolean {
    return (this.#kind(change) & 1) === 1;
  }

  value(change: number, to: Uint32Array): void {
    const from = change * FIELDS + field.value;
    for (let lane = 0; lane < LANES; lane++) to[lane] = i32At(this.#fields, from + lane);
  }

  /** True if one change comes before another one, whichever was really made first. */
  isBefore(a: number, b: number): boolean {
    const first = this.time(a);
    const second = this.time(b);
    return first < second || (first === second && this.#kind(a) >> RANK < this.#kind(b) >> RANK);
  }

  /** As an object of its own: changes with old numbers may be given away. */
  get(change: number): WordChange {
    const kind = this.#kind(change);
    const name = itemAt(names, (kind >> 1) & 3);
    const place = { track: this.track(change), time: f64At(this.#times, change * TIMES + 1) };
    // A request has its source at the end of a slice of a queue.
    const source: FlowPoint = name === 'signal' || name === 'complete' ? { ...place, side: 'ending' } : place;
    return { time: this.time(change), source, rank: kind >> RANK, name };
  }

  /** A change whose list has only itself. */
  make({ seen, made, rank, track, name }: ChangeSource, adds: boolean, value: Uint32Array): number {
    const change = this.#place();
    this.#times[change * TIMES] = seen;
    this.#times[change * TIMES + 1] = made;
    const at = change * FIELDS;
    this.#fields[at + field.older] = NONE;
    this.#fields[at + field.track] = track;
    this.#fields[at + field.kind] = (rank << RANK) | (names.indexOf(name) << 1) | (adds ? 1 : 0);
    for (let lane = 0; lane < LANES; lane++) this.#fields[at + field.value + lane] = u32At(value, lane);
    return change;
  }

  /** Gives a change and all older ones of its word away. */
  drop(latest: number): void {
    for (let change = latest; change !== NONE;) {
      const older = this.older(change);
      this.link(change, this.#free);
      this.#free = change;
      change = older;
    }
  }

  #kind(change: number): number {
    return i32At(this.#fields, change * FIELDS + field.kind);
  }

  #place(): number {
    const free = this.#free;
    if (free !== NONE) {
      this.#free = this.older(free);
      return free;
    }
    if (this.#used * TIMES === this.#times.length) {
      this.#times = grown(this.#times, new Float64Array(2 * this.#times.length));
      this.#fields = grown(this.#fields, new Int32Array(2 * this.#fields.length));
    }
    return this.#used++;
  }
}
