import type { Who } from './clock.ts';
import { numberAt } from './number-at.ts';

/** The number of an epoch. 0 is none. */
export type EpochId = number;

/** All four bytes of a word. */
export const WHOLE_WORD = 15;

/**
 * Who accessed something when and where in the kernel, written down once and named by a number, so
 * that shadow memory takes a number for a word. Numbers stay below 2 ** 31.
 */
export class Epochs {
  who: Uint32Array = new Uint32Array(1024);
  stamp: Uint32Array = new Uint32Array(1024);
  /** The place in the kernel, by its number among all that are watched. */
  site: Uint32Array = new Uint32Array(1024);
  /** Which bytes of the word, one bit each. */
  mask: Uint8Array = new Uint8Array(1024);
  #count = 1;
  /** Numbers that nobody holds any more, of which the first `#freeCount` can be given out again. */
  #free = new Uint32Array(0);
  #freeCount = 0;

  /** The first number that was never given out. */
  get count(): number {
    return this.#count;
  }

  /** How many can be added before `count` grows. */
  get free(): number {
    return this.#freeCount;
  }

  add(who: Who, stamp: number, site: number, mask: number): EpochId {
    const id = this.#freeCount > 0 ? numberAt(this.#free, --this.#freeCount) : this.#count++;
    if (id === this.who.length) this.#grow();
    this.who[id] = who;
    this.stamp[id] = stamp;
    this.site[id] = site;
    this.mask[id] = mask;
    return id;
  }

  /** Numbers that are not held, by number, mean nothing any more, and are given out again. */
  keep(held: Uint8Array): void {
    const count = this.#count;
    let freeCount = 0;
    for (let id = 1; id < count; id++) if (held[id] !== 1) freeCount++;
    if (this.#free.length < freeCount) this.#free = new Uint32Array(freeCount);
    this.#freeCount = freeCount;
    // The lowest are given out first.
    for (let id = 1; id < count; id++) if (held[id] !== 1) this.#free[--freeCount] = id;
  }

  #grow(): void {
    const length = 2 * this.who.length;
    this.who = wider(new Uint32Array(length), this.who);
    this.stamp = wider(new Uint32Array(length), this.stamp);
    this.site = wider(new Uint32Array(length), this.site);
    this.mask = wider(new Uint8Array(length), this.mask);
  }
}

function wider<T extends Uint32Array | Uint8Array>(to: T, from: T): T {
  to.set(from);
  return to;
}
