import type { Heap } from '../memory/heap.ts';
import { AddressTable } from './address-table.ts';
import { f64At, grown, i32At, u32At } from './typed-items.ts';
import { LANES, NONE, WordChanges, type ChangeName, type WordChange } from './word-changes.ts';
import { addLanes, areEqual, lanesOf, readLanes, writeLanes, type Lanes } from './word-lanes.ts';

/** The time at which a condition began to hold, and the change that made it so. */
export interface Held {
  readonly time: number;
  readonly change: WordChange | undefined;
}

/** Where and when a change of a word was made. */
export interface ChangeSource {
  readonly rank: number;
  readonly track: number;
  /** When the change was made, and when the word's rank can see it. */
  readonly made: number;
  readonly seen: number;
  readonly name: ChangeName;
}

/**
 * The largest number of remembered changes of one word; beyond it, the older half is merged into
 * the initial value.
 */
const MOST_CHANGES = 512;

const FIRST_ROOM = 256;

/**
 * The words through which CTAs communicate, and the simulated times of their changes. The actual
 * order of the changes may have been different. A change without a trace (by a host, or a plain
 * store) makes a word forget its history.
 */
export class WordHistories {
  readonly #heap: Heap;
  /** By address. */
  readonly #words = new AddressTable();
  readonly #freeWords: number[] = [];
  readonly #changes = new WordChanges();
  #address = new Float64Array(FIRST_ROOM);
  #bytes = new Int32Array(FIRST_ROOM);
  /** The latest change of each word, and how many there are. */
  #latest = new Int32Array(FIRST_ROOM);
  #count = new Int32Array(FIRST_ROOM);
  /** `LANES` numbers each: a word's value before all changes, and after the last actual one. */
  #first = new Uint32Array(FIRST_ROOM * LANES);
  #current = new Uint32Array(FIRST_ROOM * LANES);
  #used = 0;
  readonly #value: Lanes = new Uint32Array(LANES);
  readonly #other: Lanes = new Uint32Array(LANES);
  readonly #sum: Lanes = new Uint32Array(LANES);
  /** The words that the condition at hand reads, and the later changes of these. */
  readonly #read: number[] = [];
  readonly #later: number[] = [];

  constructor(heap: Heap) {
    this.#heap = heap;
  }

  /** The word at an address that is about to be changed. */
  open(address: number, bytes: number): number {
    readLanes(this.#heap.views, address, bytes, this.#value);
    return this.#wordWith(address, bytes, this.#value);
  }

  /** The word has been changed. `adds`: others may add to it as well, in any order. */
  close(word: number, adds: boolean, source: ChangeSource): void {
    const [value, before] = [this.#value, this.#other];
    const bytes = i32At(this.#bytes, word);
    readLanes(this.#heap.views, f64At(this.#address, word), bytes, value);
    this.#take(this.#current, word, before);
    this.#put(this.#current, word, value);
    if (adds) addLanes(value, before, -1, bytes);
    this.#add(word, adds, value, source);
  }

  /** A word of 8 bytes that held `before` has been added to. */
  added(address: number, before: bigint, addend: bigint, source: ChangeSource): void {
    const [value, sum] = [this.#value, this.#sum];
    lanesOf(before, sum);
    const word = this.#wordWith(address, 8, sum);
    lanesOf(addend, value);
    addLanes(sum, value, 1, 8);
    this.#put(this.#current, word, sum);
    this.#add(word, true, value, source);
  }

  /** The latest change of a word, if it is after `time` and from another track. */
  latestAfter(address: number, time: number, track: number): WordChange | undefined {
    const word = this.#words.get(address);
    if (word === undefined) return undefined;
    const latest = i32At(this.#latest, word);
    if (latest === NONE || this.#changes.time(latest) <= time || this.#changes.track(latest) === track)
      return undefined;
    return this.#isCurrent(word) ? this.#changes.get(latest) : undefined;
  }

  /**
   * The earliest time from `clock` on at which `holds`, a condition on these words that holds now,
   * would have held. It is evaluated with their values then; afterwards memory is restored.
   */
  earliest(addresses: readonly number[], clock: number, holds: () => boolean): Held {
    const [words, later] = [this.#read, this.#later];
    words.length = 0;
    later.length = 0;
    for (const address of addresses) this.#lookAt(address, clock);
    if (words.length === 0) return { time: clock, change: undefined };
    const changes = this.#changes;
    if (later.length > 1) later.sort((a, b) => (changes.isBefore(a, b) ? -1 : 1));
    const last = later.length - 1;
    const end = changes.time(later[last] ?? NONE);
    try {
      if (this.#heldAt(clock, holds)) return { time: clock, change: undefined };
      // It holds now, so after the last change it has held.
      let found = last;
      for (let i = 0; i < last; i++) {
        const time = changes.time(later[i] ?? NONE);
        if (time === end) break;
        if (changes.time(later[i + 1] ?? NONE) === time || !this.#heldAt(time, holds)) continue;
        found = i;
        break;
      }
      const change = changes.get(later[found] ?? NONE);
      return { time: change.time, change };
    } finally {
      for (const word of words) {
        this.#take(this.#current, word, this.#value);
        this.#write(word, this.#value);
      }
      // A condition may keep what it loads: that has to be the present values again.
      holds();
    }
  }

  /** Forgets the words in `[low, high)`, which are about to be reused. */
  forget(low: number, high: number): void {
    for (const word of this.#words.take(low, high)) {
      this.#changes.drop(i32At(this.#latest, word));
      this.#freeWords.push(word);
    }
  }

  /** A word that the condition reads, if it has changes after `clock`. */
  #lookAt(address: number, clock: number): void {
    const word = this.#words.get(address);
    if (word === undefined) return;
    const latest = i32At(this.#latest, word);
    if (latest === NONE || this.#changes.time(latest) <= clock) return;
    if (this.#read.includes(word) || !this.#isCurrent(word)) return;
    this.#read.push(word);
    for (let change = latest; change !== NONE && this.#changes.time(change) > clock;) {
      this.#later.push(change);
      change = this.#changes.older(change);
    }
  }

  /** The word at an address, with the history that led to this value, or a new one. */
  #wordWith(address: number, bytes: number, value: Lanes): number {
    let word = this.#words.get(address);
    if (word === undefined) {
      word = this.#freeWords.pop() ?? this.#newWord();
      this.#words.set(address, word);
      this.#address[word] = address;
    } else {
      if (i32At(this.#bytes, word) === bytes && this.#holds(word, value)) return word;
      this.#changes.drop(i32At(this.#latest, word));
    }
    this.#bytes[word] = bytes;
    this.#latest[word] = NONE;
    this.#count[word] = 0;
    this.#put(this.#first, word, value);
    this.#put(this.#current, word, value);
    return word;
  }

  #newWord(): number {
    const room = this.#address.length;
    if (this.#used === room) {
      this.#address = grown(this.#address, new Float64Array(2 * room));
      this.#bytes = grown(this.#bytes, new Int32Array(2 * room));
      this.#latest = grown(this.#latest, new Int32Array(2 * room));
      this.#count = grown(this.#count, new Int32Array(2 * room));
      this.#first = grown(this.#first, new Uint32Array(2 * room * LANES));
      this.#current = grown(this.#current, new Uint32Array(2 * room * LANES));
    }
    return this.#used++;
  }

  /** Adds a change to the list of a word, by its time and rank. */
  #add(word: number, adds: boolean, value: Lanes, source: ChangeSource): void {
    const changes = this.#changes;
    const { seen, rank, track, made, name } = source;
    const change = changes.make(seen, rank, track, made, name, adds, value);
    let newer = NONE;
    let older = i32At(this.#latest, word);
    while (older !== NONE && changes.isBefore(change, older)) {
      newer = older;
      older = changes.older(older);
    }
    changes.link(change, older);
    if (newer === NONE) this.#latest[word] = change;
    else changes.link(newer, change);
    const count = i32At(this.#count, word) + 1;
    this.#count[word] = count;
    if (count > MOST_CHANGES) this.#merge(word, count - MOST_CHANGES / 2);
  }

  /** Merges all but the `kept` latest changes of a word into its first value. */
  #merge(word: number, kept: number): void {
    const changes = this.#changes;
    let last = i32At(this.#latest, word);
    for (let i = 1; i < kept; i++) last = changes.older(last);
    const old = changes.older(last);
    this.#valueFrom(word, old, this.#value);
    this.#put(this.#first, word, this.#value);
    changes.link(last, NONE);
    changes.drop(old);
    this.#count[word] = kept;
  }

  #heldAt(time: number, holds: () => boolean): boolean {
    const changes = this.#changes;
    for (const word of this.#read) {
      let change = i32At(this.#latest, word);
      while (change !== NONE && changes.time(change) > time) change = changes.older(change);
      this.#valueFrom(word, change, this.#value);
      this.#write(word, this.#value);
    }
    try {
      return holds();
    } catch {
      // A fault caused by values that were never present together does not count as the condition
      // holding.
      return false;
    }
  }

  /** The value of a word after a change, and all older ones. */
  #valueFrom(word: number, latest: number, value: Lanes): void {
    const changes = this.#changes;
    const bytes = i32At(this.#bytes, word);
    let base = latest;
    while (base !== NONE && changes.adds(base)) base = changes.older(base);
    if (base === NONE) this.#take(this.#first, word, value);
    else changes.value(base, value);
    for (let change = latest; change !== base; change = changes.older(change)) {
      changes.value(change, this.#other);
      addLanes(value, this.#other, 1, bytes);
    }
  }

  #write(word: number, value: Lanes): void {
    writeLanes(this.#heap.views, f64At(this.#address, word), i32At(this.#bytes, word), value);
  }

  /** True if memory has what the last traced change left. */
  #isCurrent(word: number): boolean {
    readLanes(this.#heap.views, f64At(this.#address, word), i32At(this.#bytes, word), this.#value);
    return this.#holds(word, this.#value);
  }

  #holds(word: number, value: Lanes): boolean {
    this.#take(this.#current, word, this.#other);
    return areEqual(this.#other, value);
  }

  #take(from: Uint32Array, word: number, to: Lanes): void {
    for (let lane = 0; lane < LANES; lane++) to[lane] = u32At(from, word * LANES + lane);
  }

  #put(to: Uint32Array, word: number, from: Lanes): void {
    for (let lane = 0; lane < LANES; lane++) to[word * LANES + lane] = u32At(from, lane);
  }
}
