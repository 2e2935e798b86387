import { at as itemAt } from '@nccl-ts/core';
import type { WordMeaning } from '@nccl-ts/findings';
import {
  agentOf,
  lastWrites,
  wordKey,
  type Epochs,
  type GroupClocks,
  type SeenAccess,
  type Shadow,
} from '@nccl-ts/memory-model';

/** The words of which a story is kept, and its lengths. Older events are forgotten. */
const MOST_WORDS = 65_536;
const PER_WORD = 32;
const PER_AGENT = 512;

/** A word by which threads synchronize. */
export interface StoryWord {
  /** By `wordKey` of its first byte, with the byte's position in it. */
  readonly key: number;
  readonly shadow: Shadow;
  readonly address: number;
  readonly bytes: number;
  /** Its meaning. Set when its memory is given back, and else found when it is asked for. */
  place: WordMeaning | undefined;
}

/** The bytes of an access to a word. */
export type WordAt = Pick<StoryWord, 'shadow' | 'address' | 'bytes'>;

/**
 * A time in the clock of a CTA. For the network, it is the time at which the request was posted.
 */
export interface StoryPoint {
  readonly agent: number;
  readonly stamp: number;
}

/** An ordered write of a word, or a change by the network. */
export interface PastWrite {
  readonly access: SeenAccess;
  readonly word: StoryWord;
  readonly point: StoryPoint;
  /** Counts all events of the world. */
  readonly number: number;
  /** True if it changed the value that was there. */
  readonly isUpdate: boolean;
  /** The stamp of the last releasing fence of its thread, or 0. */
  readonly fenced: number;
  /** The values before and after it, if they are known. */
  readonly was: bigint | undefined;
  value: bigint | undefined;
}

/** An ordered read of a word. For a wait, the read with which it ended. */
export interface PastRead {
  readonly access: SeenAccess;
  readonly word: StoryWord;
  readonly point: StoryPoint;
  readonly number: number;
  /** True if a wait ended with it. */
  readonly isWait: boolean;
  /** True if it ended a wait whose time limit had expired. */
  gaveUp?: true;
  value: bigint | undefined;
  /**
   * The last write that is remembered. For a wait, the one that was enough for it. Absent if those
   * were the word's first contents.
   */
  write: PastWrite | undefined;
}

/** The value of a word, if its memory is still there. */
export type ValueOfStoryWord = (word: StoryWord) => bigint | undefined;

/**
 * Remembers what happened to the words by which threads synchronize: who changed them, and with
 * which values reads and waits went on. Reports tell it; no verdict rests on it.
 */
export class WordStories {
  readonly #words = new Map<number, StoryWord>();
  /** By word. */
  readonly #writes = new Map<number, PastWrite[]>();
  /** By agent. */
  readonly #writesOf = new Map<number, PastWrite[]>();
  readonly #readsOf = new Map<number, PastRead[]>();
  readonly #valueOf: ValueOfStoryWord;
  readonly #epochs: () => Epochs;
  readonly #placeOf: (word: StoryWord) => WordMeaning;
  /** The agents of CTAs, by launch and CTA. */
  readonly #agents = new Map<string, number>();
  readonly #mostEvents: number;
  #number = 0;
  /** True if there were more than `mostEvents`, so that nothing is remembered. */
  isForgotten = false;

  constructor(
    valueOf: ValueOfStoryWord,
    placeOf: (word: StoryWord) => WordMeaning,
    epochs: () => Epochs,
    mostEvents: number,
  ) {
    this.#mostEvents = mostEvents;
    this.#epochs = epochs;
    this.#valueOf = valueOf;
    this.#placeOf = placeOf;
  }

  /** The number of the last event. */
  get number(): number {
    return this.#number;
  }

  /** Called when a CTA of a launch begins. */
  opens(launch: number, cta: number, agent: number): void {
    if (this.#agents.size < MOST_WORDS) this.#agents.set(`${launch} ${cta}`, agent);
  }

  agentOf(launch: number, cta: number): number | undefined {
    return this.#agents.get(`${launch} ${cta}`);
  }

  /** Called before a thread's write takes effect. */
  wrote(group: GroupClocks, thread: number, word: WordAt, site: number, isUpdate: boolean): void {
    const access = { who: group.whoBase + thread, stamp: group.stamp, site: group.siteBase + site };
    const fenced = Math.max(0, ...group.fences(thread).map(({ snapshot }) => snapshot.bound));
    this.add(access, { agent: group.agent, stamp: group.stamp }, word, isUpdate, fenced);
  }

  /** Adds a write before it takes effect. `point` is the time at which its thread asked for it. */
  add(access: SeenAccess, point: StoryPoint, at: WordAt, isUpdate: boolean, fenced = 0): void {
    if (this.#isPast()) return;
    const word = this.#word(at);
    let writes = this.#writes.get(word.key);
    if (writes === undefined) {
      if (this.#writes.size >= MOST_WORDS) return;
      writes = [];
      this.#writes.set(word.key, writes);
    }
    const was = this.#settle(word, writes);
    const write: PastWrite = { access, word, point, number: ++this.#number, isUpdate, fenced, was, value: undefined };
    push(writes, write, PER_WORD);
    pushTo(this.#writesOf, point.agent, write, PER_AGENT);
  }

  /** Called when a thread has read a word, or a wait has ended with a word. */
  read(group: GroupClocks, thread: number, at: WordAt, site: number, isWait: boolean): void {
    if (this.#isPast()) return;
    const word = this.#word(at);
    const writes = this.#writes.get(word.key);
    const value = writes === undefined ? this.#valueOf(word) : this.#settle(word, writes);
    const last = writes?.at(-1);
    pushTo(
      this.#readsOf,
      group.agent,
      {
        access: { who: group.whoBase + thread, stamp: group.stamp, site: group.siteBase + site },
        word,
        point: { agent: group.agent, stamp: group.stamp },
        number: ++this.#number,
        isWait,
        value,
        write: (isWait ? this.#plainWrite(word, last, value) : undefined) ?? last,
      },
      PER_AGENT,
    );
  }

  /** The last write of a word, if it is another one than `known`: a plain one. */
  #plainWrite(word: StoryWord, known: PastWrite | undefined, value: bigint | undefined): PastWrite | undefined {
    const { shadow, address } = word;
    const [last] = lastWrites({ shadow, epochs: this.#epochs() }, address);
    if (last === undefined || (known?.access.who === last.who && known.access.site === last.site)) return undefined;
    if (known?.value !== undefined && known.value === value) return undefined;
    const point = pointOf(last);
    const write = {
      access: last,
      word,
      point,
      number: ++this.#number,
      isUpdate: false,
      fenced: 0,
      was: known?.value,
      value,
    };
    pushTo(this.#writesOf, point.agent, write, PER_AGENT);
    return write;
  }

  /** Called with the condition of a wait of the thread that has just ended with this word. */
  satisfied(group: GroupClocks, thread: number, at: WordAt, accepts: (value: bigint) => boolean | undefined): void {
    const writes = this.#writes.get(keyOf(at.shadow, at.address)) ?? [];
    const read = this.#lastRead(group, thread, at);
    if (read === undefined) return;
    // The writes before may have been enough already.
    for (let i = writes.length - 1; i >= 0; i--) {
      const { was } = itemAt(writes, i);
      if (was === undefined || accepts(was) !== true) return;
      read.write = writes[i - 1];
      read.value = was;
    }
  }

  /** Called for a wait of the thread that has just given up, with this word. */
  gaveUp(group: GroupClocks, thread: number, at: WordAt): void {
    const read = this.#lastRead(group, thread, at);
    if (read !== undefined) read.gaveUp = true;
  }

  #lastRead(group: GroupClocks, thread: number, { shadow, address }: WordAt): PastRead | undefined {
    const who = group.whoBase + thread;
    return this.#readsOf
      .get(group.agent)
      ?.findLast(({ access, word }) => access.who === who && word.address === address && word.shadow === shadow);
  }

  /** The last writes of the word at an address of the heap, the oldest first. */
  writesAt(shadow: Shadow, address: number): readonly PastWrite[] {
    const writes = this.#writes.get(keyOf(shadow, address)) ?? [];
    const [first] = writes;
    if (first !== undefined) this.#settle(first.word, writes);
    return writes;
  }

  /** The last writes of all words, the oldest first, by the agents of their threads. */
  writesBy(agent: number): readonly PastWrite[] {
    const writes = this.#writesOf.get(agent) ?? [];
    for (const { word } of writes) this.#settle(word, this.#writes.get(word.key) ?? []);
    return writes;
  }

  /** The reads of all agents. */
  get reads(): readonly PastRead[] {
    return [...this.#readsOf.values()].flat();
  }

  readsBy(agent: number): readonly PastRead[] {
    return this.#readsOf.get(agent) ?? [];
  }

  /** The words of `[low, high)` of the heap that have been written. */
  writtenWithin(shadow: Shadow, low: number, high: number): readonly (readonly PastWrite[])[] {
    return [...this.#writes.values()].filter((writes) =>
      writes.some(({ word }) => word.shadow === shadow && word.address >= low && word.address < high),
    );
  }

  /** Ends the stories of the words in `[low, high)` of the heap, whose memory is given back. */
  forget(low: number, high: number): void {
    for (const word of this.#words.values()) {
      if (word.shadow.number !== 0 || word.address < low || word.address >= high) continue;
      this.#settle(word, this.#writes.get(word.key) ?? []);
      word.place = this.#placeOf(word);
      this.#words.delete(word.key);
      this.#writes.delete(word.key);
    }
  }

  placeOf(word: StoryWord): WordMeaning {
    return word.place ?? this.#placeOf(word);
  }

  /** True if there are too many events. Then it forgets them all. */
  #isPast(): boolean {
    if (this.isForgotten || this.#number < this.#mostEvents) return this.isForgotten;
    this.isForgotten = true;
    for (const all of [this.#words, this.#writes, this.#writesOf, this.#readsOf]) all.clear();
    return true;
  }

  #word(at: WordAt): StoryWord {
    const key = keyOf(at.shadow, at.address);
    const known = this.#words.get(key);
    if (known !== undefined && known.bytes === at.bytes) return known;
    const word = { ...at, key, place: undefined };
    if (this.#words.size < MOST_WORDS) this.#words.set(key, word);
    return word;
  }

  /** Records what the last write of a word has left, and returns the word's value. */
  #settle(word: StoryWord, writes: readonly PastWrite[]): bigint | undefined {
    const value = this.#valueOf(word);
    const last = writes.at(-1);
    if (last !== undefined) last.value ??= value;
    return value;
  }
}

/** The point of a thread's access. */
export function pointOf({ who, stamp }: SeenAccess): StoryPoint {
  return { agent: agentOf(who), stamp };
}

function keyOf(shadow: Shadow, address: number): number {
  return wordKey(shadow, address) + (address % 4) / 4;
}

function pushTo<T>(lists: Map<number, T[]>, key: number, item: T, most: number): void {
  const list = lists.get(key);
  if (list === undefined) lists.set(key, [item]);
  else push(list, item, most);
}

/** Keeps between half of `most` and `most` items. */
function push<T>(list: T[], item: T, most: number): void {
  if (list.length === most) list.splice(0, most / 2);
  list.push(item);
}
