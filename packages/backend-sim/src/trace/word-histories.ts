import type { Heap } from '../memory/heap.ts';
import { isBefore, readWord, WordHistory, writeWord, type WordChange } from './word-history.ts';

/** The time at which a condition began to hold, and the change that made it so. */
export interface Held {
  readonly time: number;
  readonly change: WordChange | undefined;
}

/**
 * The words through which CTAs communicate, and the simulated times of their changes. A change
 * without a trace (by a host, or a plain store) makes a word forget its history.
 */
export class WordHistories {
  readonly #heap: Heap;
  readonly #words = new Map<number, WordHistory>();

  constructor(heap: Heap) {
    this.#heap = heap;
  }

  read(address: number, bytes: number): bigint {
    return readWord(this.#heap.views, address, bytes);
  }

  /** A word that held `before` has been changed. */
  changed(address: number, bytes: number, before: bigint, change: WordChange): void {
    let history = this.#words.get(address);
    if (history === undefined || history.bytes !== bytes || history.current !== before) {
      history = new WordHistory(address, bytes, before);
      this.#words.set(address, history);
    }
    history.add(change);
  }

  /** The last of the changes that led to a word's value. */
  latest(address: number): WordChange | undefined {
    return this.#current(address)?.changes.at(-1);
  }

  /**
   * The earliest time from `clock` on at which `holds`, a condition on these words that holds now,
   * would have held. It is evaluated with their values then; afterwards memory is restored.
   * `isAlike`: another lane of the warp waits here, and has waited for a change. So does this lane
   * if all of its words change at one time.
   */
  earliest(addresses: readonly number[], clock: number, holds: () => boolean, isAlike = false): Held {
    const words: WordHistory[] = [];
    for (const address of addresses) {
      const word = this.#words.get(address);
      if (word === undefined || word.latest <= clock || words.includes(word)) continue;
      if (this.read(address, word.bytes) === word.current) words.push(word);
    }
    if (words.length === 0) return { time: clock, change: undefined };
    const later: WordChange[] = [];
    for (const { changes } of words) {
      for (let i = changes.length - 1; i >= 0; i--) {
        const change = changes[i];
        if (change === undefined || change.time <= clock) break;
        later.push(change);
      }
    }
    if (later.length > 1) later.sort((a, b) => (isBefore(a, b) ? -1 : 1));
    const last = later.at(-1);
    if (isAlike && last !== undefined && later[0]?.time === last.time) return { time: last.time, change: last };
    try {
      if (this.#heldAt(words, clock, holds)) return { time: clock, change: undefined };
      // It holds now, so after the last change it has held.
      const found = later.find(
        ({ time }, i) => time !== last?.time && later[i + 1]?.time !== time && this.#heldAt(words, time, holds),
      );
      const change = found ?? last;
      return { time: change?.time ?? clock, change };
    } finally {
      for (const { address, bytes, current } of words) writeWord(this.#heap.views, address, bytes, current);
      // A condition may keep what it loads: that has to be the present values again.
      holds();
    }
  }

  /** Forgets the words in `[low, high)`, which are about to be reused. */
  forget(low: number, high: number): void {
    for (const address of this.#words.keys()) if (address >= low && address < high) this.#words.delete(address);
  }

  #heldAt(words: readonly WordHistory[], time: number, holds: () => boolean): boolean {
    for (const word of words) writeWord(this.#heap.views, word.address, word.bytes, word.valueAt(time));
    try {
      return holds();
    } catch {
      // A fault caused by values that were never present together does not count as the condition
      // holding.
      return false;
    }
  }

  #current(address: number): WordHistory | undefined {
    const history = this.#words.get(address);
    return history !== undefined && this.read(address, history.bytes) === history.current ? history : undefined;
  }
}
