import { at as itemAt, type FlowPoint } from '@nccl-ts/core';
import { f64At, grown, i32At, u32At } from './typed-items.ts';

/** A change of a word, with its simulated time. */
export interface WordChange {
  /** The time at which the word's rank could see it. */
  readonly time: number;
  /** The point at which its arrow starts. */
  readonly source: FlowPoint;
  /**
   * The rank that made it. Of several changes at one time, the one by the highest rank counts as
   * the last.
   */
  readonly rank: number;
  /** The name of its arrow. */
  readonly name: ChangeName;
}

const names = ['store', 'atomic', 'signal', 'complete'] as const;

/** The cause of a change. */
export type ChangeName = (typeof names)[number];

/** The bits of a change's kind below the rank. */
const RANK = 3;

/** The location and time of a change of a word. */
export interface ChangeSource {
  readonly rank: number;
  readonly track: number;
  /** The time of the change, and the time at which the word's rank can see it. */
  readonly made: number;
  readonly seen: number;
  readonly name: ChangeName;
}

/** Compares two changes as `WordChanges.isBefore` does. */
export function comesBefore(a: WordChange, b: WordChange): boolean {
  return a.time < b.time || (a.time === b.time && a.rank < b.rank);
}

/** The size of the largest word, in words of 4 bytes. */
export const LANES = 4;

/** No change. */
export const NONE = -1;

/** The initial capacity. It doubles when it is full. */
const FIRST_ROOM = 1024;

/**
 * The positions of a change's numbers, which are adjacent so that they share one or two cache
 * lines.
 */
const field = { older: 0, track: 1, kind: 2, value: 3 } as const;
const FIELDS = 8;

/** The two times of a change: when it could be seen, and when it was made. */
const TIMES = 2;

/**
 * The changes of all words. They are stored in arrays, because a launch may make millions. A number
 * identifies a change. The changes of one word form a list, latest first.
 */
export class WordChanges {
  #times = new Float64Array(FIRST_ROOM * TIMES);
  /**
   * `FIELDS` numbers for each change. The kind consists of the rank, the name, and 1 if the change
   * adds.
   */
  #fields = new Int32Array(FIRST_ROOM * FIELDS);
  #used = 0;
  /** The first of the free changes, which also form a list. */
  #free = NONE;

  time(change: number): number {
    return f64At(this.#times, change * TIMES);
  }

  track(change: number): number {
    return i32At(this.#fields, change * FIELDS + field.track);
  }

  /** Returns the next older change of the same word. */
  older(change: number): number {
    return i32At(this.#fields, change * FIELDS + field.older);
  }

  link(change: number, older: number): void {
    this.#fields[change * FIELDS + field.older] = older;
  }

  /**
   * True if the change adds its value, so that it commutes with others; false if it sets the value.
   */
  adds(change: number): boolean {
    return (this.#kind(change) & 1) === 1;
  }

  value(change: number, to: Uint32Array): void {
    const from = change * FIELDS + field.value;
    for (let lane = 0; lane < LANES; lane++) to[lane] = i32At(this.#fields, from + lane);
  }

  /**
   * True if one change comes before another one in simulated time, in whatever order the simulator
   * made them.
   */
  isBefore(a: number, b: number): boolean {
    const first = this.time(a);
    const second = this.time(b);
    return first < second || (first === second && this.#kind(a) >> RANK < this.#kind(b) >> RANK);
  }

  /** Sorts changes as `isBefore` compares them. */
  sort(changes: number[]): void {
    const [first = NONE, second = NONE] = changes;
    // Most waits have one change or two, and there are millions of waits.
    if (changes.length > 2) changes.sort((a, b) => (this.isBefore(a, b) ? -1 : 1));
    else if (changes.length === 2 && this.isBefore(second, first)) {
      changes[0] = second;
      changes[1] = first;
    }
  }

  /**
   * Returns a change as an object of its own, because the number of an old change may be reused.
   */
  get(change: number): WordChange {
    const kind = this.#kind(change);
    const name = itemAt(names, (kind >> 1) & 3);
    const place = { track: this.track(change), time: f64At(this.#times, change * TIMES + 1) };
    // A request's arrow starts at the end of a slice of its queue.
    const source: FlowPoint = name === 'signal' || name === 'complete' ? { ...place, side: 'ending' } : place;
    return { time: this.time(change), source, rank: kind >> RANK, name };
  }

  /** Makes a list that has only this change. */
  make({ seen, made, rank, track, name }: ChangeSource, adds: boolean, value: Uint32Array): number {
    const change = this.#allocate();
    this.#times[change * TIMES] = seen;
    this.#times[change * TIMES + 1] = made;
    const at = change * FIELDS;
    this.#fields[at + field.older] = NONE;
    this.#fields[at + field.track] = track;
    this.#fields[at + field.kind] = (rank << RANK) | (names.indexOf(name) << 1) | (adds ? 1 : 0);
    for (let lane = 0; lane < LANES; lane++) this.#fields[at + field.value + lane] = u32At(value, lane);
    return change;
  }

  /** Frees a change and all older ones of its word. */
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

  #allocate(): number {
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
