import type { TracedMemory } from './traced-machine.ts';
import { AddressTable } from './address-table.ts';
import { grown, u32At } from './typed-items.ts';
import { LANES, NONE, WordChanges, type ChangeSource, type WordChange } from './word-changes.ts';
import { addLanes, equalLanes, lanesOf, readLanes, writeLanes, type Lanes } from './word-lanes.ts';

/** The time at which a condition became true, and the change that made it true. */
export interface ConditionOnset {
  readonly time: number;
  readonly change: WordChange | undefined;
}

/** The end of a wait of a lane. */
export interface WaitEnd extends ConditionOnset {
  /**
   * The number of changes for which the lane waited, if each is of a word of its own and it needed
   * all of them; otherwise 0.
   */
  readonly needed: number;
}

/** A part of a condition: the words that it reads, and the function that computes it again. */
export interface Look {
  readonly addresses: readonly number[];
  readonly again: () => void;
}

/**
 * The largest number of changes of one word that are kept. Beyond it, the older half is merged into
 * the initial value.
 */
const MOST_CHANGES = 512;

const FIRST_ROOM = 256;

/** The positions of a word's numbers, which are adjacent. */
const field = {
  address: 0,
  bytes: 1,
  /** Its latest change, and the number of changes. */
  latest: 2,
  count: 3,
  /** Its value before all changes, and after the last one that the simulator made. */
  first: 4,
  current: 4 + LANES,
} as const;
const FIELDS = 4 + 2 * LANES;

/**
 * The words through which CTAs communicate, and the simulated times of their changes. The simulator
 * may have made the changes in another order. A change without a trace (by a host, or a plain
 * store) makes a word forget its history.
 */
export class WordHistories {
  readonly #heap: TracedMemory['heap'];
  /** By address. */
  readonly #words = new AddressTable();
  readonly #freeWords: number[] = [];
  readonly #changes = new WordChanges();
  /** `FIELDS` numbers for each word. Addresses are below 2^32. */
  #fields = new Uint32Array(FIRST_ROOM * FIELDS);
  #used = 0;
  readonly #value: Lanes = new Uint32Array(LANES);
  readonly #other: Lanes = new Uint32Array(LANES);
  readonly #sum: Lanes = new Uint32Array(LANES);
  /** The words that the current condition reads, and their later changes. */
  readonly #read: number[] = [];
  readonly #later: number[] = [];

  constructor(heap: TracedMemory['heap']) {
    this.#heap = heap;
  }

  /** Called before the word at an address changes. */
  open(address: number, bytes: number): number {
    readLanes(this.#heap.views, address, bytes, this.#value);
    return this.#wordWith(address, bytes, this.#value);
  }

  /**
   * Called after an access that may change the word. With `adds`, other changes may add to it too,
   * in any order. Returns false if an update, such as a failing compare-and-swap, changed nothing.
   */
  close(word: number, how: 'store' | 'add' | 'update', source: ChangeSource): boolean {
    const adds = how === 'add';
    const [value, before] = [this.#value, this.#other];
    const bytes = this.#of(word, field.bytes);
    readLanes(this.#heap.views, this.#of(word, field.address), bytes, value);
    this.#take(word, field.current, before);
    if (how === 'update' && equalLanes(value, before, bytes)) return false;
    this.#put(word, field.current, value);
    if (adds) addLanes(value, before, -1, bytes);
    this.#add(word, adds, value, source);
    return true;
  }

  /** Called after a value was added to an 8-byte word that held `before`. */
  added(address: number, before: bigint, addend: bigint, source: ChangeSource): void {
    const [value, sum] = [this.#value, this.#sum];
    lanesOf(before, sum);
    const word = this.#wordWith(address, 8, sum);
    lanesOf(addend, value);
    addLanes(sum, value, 1, 8);
    this.#put(word, field.current, sum);
    this.#add(word, true, value, source);
  }

  /** Returns the latest change of a word, if it is after `time` and from another track. */
  latestAfter(address: number, time: number, track: number): WordChange | undefined {
    const word = this.#words.get(address);
    if (word === undefined) return undefined;
    const latest = this.#latest(word);
    if (latest === NONE || this.#changes.time(latest) <= time || this.#changes.track(latest) === track)
      return undefined;
    return this.#isCurrent(word) ? this.#changes.get(latest) : undefined;
  }

  /**
   * The earliest time from `clock` on at which `holds`, a condition on these words that holds now,
   * would have held. It is evaluated with their values then; afterwards memory is restored.
   * `alike` is given if another lane of the warp waits here, and has waited for a change: the
   * number of changes that it needed. So does this lane if all of its words change at one time, or
   * if as many words change, each once.
   */
  earliest(addresses: readonly number[], clock: number, holds: () => boolean, alike?: number): WaitEnd {
    const [words, later] = [this.#read, this.#later];
    words.length = 0;
    later.length = 0;
    for (const address of addresses) this.#lookAt(address, clock);
    if (words.length === 0) return { time: clock, change: undefined, needed: 0 };
    const changes = this.#changes;
    changes.sort(later);
    const last = later.length - 1;
    const end = changes.time(later[last] ?? NONE);
    const once = words.length === later.length ? later.length : 0;
    if (alike !== undefined && (changes.time(later[0] ?? NONE) === end || (once > 0 && once === alike))) {
      const change = changes.get(later[last] ?? NONE);
      return { time: change.time, change, needed: once };
    }
    try {
      if (this.#heldAt(clock, holds)) return { time: clock, change: undefined, needed: 0 };
      // It is true now, so it is true after the last change.
      let found = last;
      for (let i = 0; i < last; i++) {
        const time = changes.time(later[i] ?? NONE);
        if (time === end) break;
        if (changes.time(later[i + 1] ?? NONE) === time || !this.#heldAt(time, holds)) continue;
        found = i;
        break;
      }
      const change = changes.get(later[found] ?? NONE);
      return { time: change.time, change, needed: found === last ? once : 0 };
    } finally {
      this.#restore();
      // A condition may store what it loads, so the current values must be there again.
      holds();
    }
  }

  /**
   * The same for a condition on many looks, such as those of the lanes that vote. A look is
   * computed again only when one of its words changes.
   */
  earliestOf(looks: readonly Look[], clock: number, holds: () => boolean): ConditionOnset {
    const changes = this.#changes;
    const readers = new Map<number, Look[]>();
    this.#read.length = 0;
    const later: { readonly word: number; readonly change: number }[] = [];
    for (const look of looks) {
      for (const address of look.addresses) {
        const word = this.#words.get(address);
        const known = word === undefined ? undefined : readers.get(word);
        if (word === undefined) continue;
        if (known !== undefined) known.push(look);
        else if (this.#changesAfter(word, clock)) {
          readers.set(word, [look]);
          this.#read.push(word);
          this.#eachAfter(word, clock, (change) => later.push({ word, change }));
        }
      }
    }
    later.sort((a, b) => (changes.isBefore(a.change, b.change) ? -1 : 1));
    const stale = new Set<Look>();
    const isTrue = (): boolean => {
      try {
        for (const look of stale) {
          look.again();
          stale.delete(look);
        }
        return holds();
      } catch {
        return false;
      }
    };
    try {
      for (const [word, those] of readers) {
        this.#writeAt(word, clock);
        for (const look of those) stale.add(look);
      }
      if (isTrue()) return { time: clock, change: undefined };
      for (const [i, { word, change }] of later.entries()) {
        this.#valueFrom(word, change, this.#value);
        this.#write(word, this.#value);
        for (const look of readers.get(word) ?? []) stale.add(look);
        const time = changes.time(change);
        const next = later[i + 1];
        // It is true now, so it is true after the last change.
        if (next !== undefined && (changes.time(next.change) === time || !isTrue())) continue;
        return { time, change: changes.get(change) };
      }
      return { time: clock, change: undefined };
    } finally {
      this.#restore();
    }
  }

  /** Forgets the words in `[low, high)`, which are about to be reused. */
  forget(low: number, high: number): void {
    for (const word of this.#words.take(low, high)) {
      this.#changes.drop(this.#latest(word));
      this.#freeWords.push(word);
    }
  }

  /** Writes the words that a condition reads as they are now. */
  #restore(): void {
    for (const word of this.#read) {
      this.#take(word, field.current, this.#value);
      this.#write(word, this.#value);
    }
  }

  /** Adds a word that the condition reads, if it has changes after `clock`. */
  #lookAt(address: number, clock: number): void {
    const word = this.#words.get(address);
    if (word === undefined || this.#read.includes(word) || !this.#changesAfter(word, clock)) return;
    this.#read.push(word);
    this.#eachAfter(word, clock, (change) => this.#later.push(change));
  }

  /** True if a word has changes after `clock`, and memory still has the value of the last one. */
  #changesAfter(word: number, clock: number): boolean {
    const latest = this.#latest(word);
    return latest !== NONE && this.#changes.time(latest) > clock && this.#isCurrent(word);
  }

  /** Visits the changes of a word after `clock`, latest first. */
  #eachAfter(word: number, clock: number, visit: (change: number) => void): void {
    for (let change = this.#latest(word); change !== NONE && this.#changes.time(change) > clock;) {
      visit(change);
      change = this.#changes.older(change);
    }
  }

  /** Returns the word at an address, with the history that led to this value, or a new one. */
  #wordWith(address: number, bytes: number, value: Lanes): number {
    let word = this.#words.get(address);
    if (word === undefined) {
      word = this.#freeWords.pop() ?? this.#newWord();
      this.#words.set(address, word);
      this.#set(word, field.address, address);
    } else {
      if (this.#of(word, field.bytes) === bytes && this.#holds(word, value)) return word;
      this.#changes.drop(this.#latest(word));
    }
    this.#set(word, field.bytes, bytes);
    this.#set(word, field.latest, NONE);
    this.#set(word, field.count, 0);
    this.#put(word, field.first, value);
    this.#put(word, field.current, value);
    return word;
  }

  #newWord(): number {
    const room = this.#fields.length;
    if (this.#used * FIELDS === room) this.#fields = grown(this.#fields, new Uint32Array(2 * room));
    return this.#used++;
  }

  /** Inserts a change into the list of a word, by time and rank. */
  #add(word: number, adds: boolean, value: Lanes, source: ChangeSource): void {
    const changes = this.#changes;
    const change = changes.make(source, adds, value);
    let newer = NONE;
    let older = this.#latest(word);
    while (older !== NONE && changes.isBefore(change, older)) {
      newer = older;
      older = changes.older(older);
    }
    changes.link(change, older);
    if (newer === NONE) this.#set(word, field.latest, change);
    else changes.link(newer, change);
    const count = this.#of(word, field.count) + 1;
    this.#set(word, field.count, count);
    if (count > MOST_CHANGES) this.#merge(word, count - MOST_CHANGES / 2);
  }

  /** Merges all but the `kept` latest changes of a word into its first value. */
  #merge(word: number, kept: number): void {
    const changes = this.#changes;
    let last = this.#latest(word);
    for (let i = 1; i < kept; i++) last = changes.older(last);
    const old = changes.older(last);
    this.#valueFrom(word, old, this.#value);
    this.#put(word, field.first, this.#value);
    changes.link(last, NONE);
    changes.drop(old);
    this.#set(word, field.count, kept);
  }

  #heldAt(time: number, holds: () => boolean): boolean {
    for (const word of this.#read) this.#writeAt(word, time);
    try {
      return holds();
    } catch {
      // Values that were never present together may cause a fault. Then the condition counts as
      // false.
      return false;
    }
  }

  /** Writes a word as it was at a time. */
  #writeAt(word: number, time: number): void {
    const changes = this.#changes;
    let change = this.#latest(word);
    while (change !== NONE && changes.time(change) > time) change = changes.older(change);
    this.#valueFrom(word, change, this.#value);
    this.#write(word, this.#value);
  }

  /** Computes the value of a word after a change and all older ones. */
  #valueFrom(word: number, latest: number, value: Lanes): void {
    const changes = this.#changes;
    const bytes = this.#of(word, field.bytes);
    let base = latest;
    while (base !== NONE && changes.adds(base)) base = changes.older(base);
    if (base === NONE) this.#take(word, field.first, value);
    else changes.value(base, value);
    for (let change = latest; change !== base; change = changes.older(change)) {
      changes.value(change, this.#other);
      addLanes(value, this.#other, 1, bytes);
    }
  }

  #write(word: number, value: Lanes): void {
    writeLanes(this.#heap.views, this.#of(word, field.address), this.#of(word, field.bytes), value);
  }

  /** True if memory still has the value of the last traced change. */
  #isCurrent(word: number): boolean {
    readLanes(this.#heap.views, this.#of(word, field.address), this.#of(word, field.bytes), this.#value);
    return this.#holds(word, this.#value);
  }

  #holds(word: number, value: Lanes): boolean {
    const from = word * FIELDS + field.current;
    for (let lane = 0; lane < LANES; lane++) if (this.#fields[from + lane] !== value[lane]) return false;
    return true;
  }

  #latest(word: number): number {
    return this.#of(word, field.latest) | 0;
  }

  #of(word: number, number: number): number {
    return u32At(this.#fields, word * FIELDS + number);
  }

  #set(word: number, number: number, value: number): void {
    this.#fields[word * FIELDS + number] = value;
  }

  #take(word: number, from: number, to: Lanes): void {
    for (let lane = 0; lane < LANES; lane++) to[lane] = this.#of(word, from + lane);
  }

  #put(word: number, to: number, from: Lanes): void {
    for (let lane = 0; lane < LANES; lane++) this.#set(word, to + lane, u32At(from, lane));
  }
}
