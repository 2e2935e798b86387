import type { FlowPoint } from '@nccl-ts/timeline';
import { f64At, grown, i32At, u32At, u8At } from './typed-items.ts';

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

/**
 * The changes of all words, in arrays, because a launch may make millions. A change is a number.
 * Those of one word are a list, the latest first.
 */
export class WordChanges {
  #time = new Float64Array(FIRST_ROOM);
  #rank = new Int32Array(FIRST_ROOM);
  #track = new Int32Array(FIRST_ROOM);
  #sourceTime = new Float64Array(FIRST_ROOM);
  #name = new Uint8Array(FIRST_ROOM);
  #adds = new Uint8Array(FIRST_ROOM);
  /** `LANES` numbers each: the new value, or the addend. */
  #value = new Uint32Array(FIRST_ROOM * LANES);
  #older = new Int32Array(FIRST_ROOM);
  #used = 0;
  /** The first of the changes that are free, which are a list too. */
  #free = NONE;

  time(change: number): number {
    return f64At(this.#time, change);
  }

  track(change: number): number {
    return i32At(this.#track, change);
  }

  /** The next older change of the same word. */
  older(change: number): number {
    return i32At(this.#older, change);
  }

  link(change: number, older: number): void {
    this.#older[change] = older;
  }

  /** True if it adds its value, in any order with others; false if its value is the new one. */
  adds(change: number): boolean {
    return u8At(this.#adds, change) === 1;
  }

  value(change: number, to: Uint32Array): void {
    for (let lane = 0; lane < LANES; lane++) to[lane] = u32At(this.#value, change * LANES + lane);
  }

  /** True if one change comes before another one, whichever was really made first. */
  isBefore(a: number, b: number): boolean {
    const first = this.time(a);
    const second = this.time(b);
    return first < second || (first === second && i32At(this.#rank, a) < i32At(this.#rank, b));
  }

  /** As an object of its own: changes with old numbers may be given away. */
  get(change: number): WordChange {
    const name = names[u8At(this.#name, change)] ?? 'store';
    const place = { track: i32At(this.#track, change), time: f64At(this.#sourceTime, change) };
    // A request has its source at the end of a slice of a queue.
    const source: FlowPoint = name === 'signal' || name === 'complete' ? { ...place, side: 'ending' } : place;
    return { time: this.time(change), source, rank: i32At(this.#rank, change), name };
  }

  /** A change whose list is `older`. */
  make(
    time: number,
    rank: number,
    track: number,
    sourceTime: number,
    name: ChangeName,
    adds: boolean,
    value: Uint32Array,
  ): number {
    const change = this.#place();
    this.#time[change] = time;
    this.#rank[change] = rank;
    this.#track[change] = track;
    this.#sourceTime[change] = sourceTime;
    this.#name[change] = names.indexOf(name);
    this.#adds[change] = adds ? 1 : 0;
    for (let lane = 0; lane < LANES; lane++) this.#value[change * LANES + lane] = u32At(value, lane);
    this.#older[change] = NONE;
    return change;
  }

  /** Gives a change and all older ones of its word away. */
  drop(latest: number): void {
    for (let change = latest; change !== NONE;) {
      const older = this.older(change);
      this.#older[change] = this.#free;
      this.#free = change;
      change = older;
    }
  }

  #place(): number {
    const free = this.#free;
    if (free !== NONE) {
      this.#free = this.older(free);
      return free;
    }
    if (this.#used === this.#time.length) this.#grow(2 * this.#used);
    return this.#used++;
  }

  #grow(room: number): void {
    this.#time = grown(this.#time, new Float64Array(room));
    this.#rank = grown(this.#rank, new Int32Array(room));
    this.#track = grown(this.#track, new Int32Array(room));
    this.#sourceTime = grown(this.#sourceTime, new Float64Array(room));
    this.#name = grown(this.#name, new Uint8Array(room));
    this.#adds = grown(this.#adds, new Uint8Array(room));
    this.#value = grown(this.#value, new Uint32Array(room * LANES));
    this.#older = grown(this.#older, new Int32Array(room));
  }
}
