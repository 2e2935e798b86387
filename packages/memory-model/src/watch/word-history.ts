import { PLAIN } from '../scope.ts';
import { maskOf } from './epochs.ts';
import type { GroupClocks } from './group-clocks.ts';
import type { SeenAccess } from './race.ts';
import type { Shadow } from './shadow.ts';

/** An access to a word that a history keeps. */
export interface PastAccess extends SeenAccess {
  readonly isWrite: boolean;
  readonly isPlain: boolean;
  /** The bytes of the word, one bit each. */
  readonly mask: number;
  /** The word's value after it, once `settle` has read it. */
  readonly value: number | undefined;
}

/** The bytes of an access. */
export interface AccessedBytes {
  readonly shadow: Shadow;
  readonly address: number;
  readonly bytes: number;
}

/** The number of words of the largest memory. */
const WORDS = 2 ** 32;

/** Identifies the word at a byte address among those of all memories of a world. */
export function wordKey({ number }: Pick<Shadow, 'number'>, address: number): number {
  return number * WORDS + (address >>> 2);
}

/** The number of the memory of a word, and its index there. */
export function wordOfKey(key: number): { readonly memory: number; readonly word: number } {
  return { memory: Math.floor(key / WORDS), word: key % WORDS };
}

/**
 * All accesses to some words, those included that later accesses have replaced in shadow memory.
 * A race with a replaced access usually shows as a race with its successor. It does not if that
 * race is harmless, because both store the same value.
 */
export class WordHistory {
  readonly #words = new Map<number, PastAccess[]>();
  /** The words whose last access has no value yet. */
  readonly #open = new Set<number>();
  readonly #widths: (site: number) => number;

  /**
   * `words`: the words, by `wordKey`. `widths`: the width of the scope of a site, or 0 if it is
   * plain.
   */
  constructor(words: Iterable<number>, widths: (site: number) => number) {
    for (const word of words) this.#words.set(word, []);
    this.#widths = widths;
  }

  /** Adds an access before it takes effect. `site` counts from the first site of the world. */
  add(access: SeenAccess, { shadow, address, bytes }: AccessedBytes, isWrite: boolean): void {
    const isPlain = this.#widths(access.site) === PLAIN;
    const mask = maskOf(address, bytes);
    const end = wordKey(shadow, address + bytes - 1);
    for (let word = wordKey(shadow, address); word <= end; word++) {
      const past = this.#words.get(word);
      if (past === undefined) continue;
      past.push({ ...access, isWrite, isPlain, mask, value: undefined });
      this.#open.add(word);
    }
  }

  /** True if there are accesses without a value. */
  get isOpen(): boolean {
    return this.#open.size > 0;
  }

  /** Records the values of the last accesses. Call it before the next store takes effect. */
  settle(valueOf: (word: number) => number | undefined): void {
    for (const word of this.#open) {
      const past = this.#words.get(word) ?? [];
      const value = valueOf(word);
      for (let i = past.length - 1; i >= 0 && past[i]?.value === undefined; i--) {
        const one = past[i];
        if (one !== undefined) past[i] = { ...one, value };
      }
    }
    this.#open.clear();
  }

  /** Forgets the accesses to the words of a range of the heap, which has a new owner. */
  forget(low: number, high: number): void {
    for (const [word, past] of this.#words) if (word >= low / 4 && word < high / 4) past.length = 0;
  }

  /**
   * The accesses of other threads to these bytes of the word that are not ordered before the next
   * event of `thread`. Without a group, all of them.
   */
  unordered(word: number, mask: number, group: GroupClocks | undefined, thread: number): readonly PastAccess[] {
    const past = (this.#words.get(word) ?? []).filter((one) => (one.mask & mask) !== 0);
    return group === undefined ? past : past.filter(({ who, stamp }) => !group.isAfter(thread, who, stamp));
  }
}
