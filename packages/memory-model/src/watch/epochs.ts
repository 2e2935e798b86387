import type { Who } from './clock.ts';
import { numberAt } from './number-at.ts';

/** The number of an epoch. 0 means none. */
export type EpochId = number;

/** All four bytes of a word. */
export const WHOLE_WORD = 15;

/** The bytes of each word that an access covers, one bit each. */
export function maskOf(address: number, bytes: number): number {
  return bytes >= 4 ? WHOLE_WORD : ((1 << bytes) - 1) << (address & 3);
}

/**
 * Records of accesses, each with its thread, time and source location. A number identifies each
 * record, so that shadow memory needs one number for a word. Numbers stay below 2 ** 31.
 */
export class Epochs {
  who: Uint32Array = new Uint32Array(1024);
  stamp: Uint32Array = new Uint32Array(1024);
  /** The source location in the kernel, as its number among all watched ones. */
  site: Uint32Array = new Uint32Array(1024);
  /** The bytes of the word, one bit each. */
  mask: Uint8Array = new Uint8Array(1024);
  #count = 1;
  /** Freed numbers, of which the first `#freeCount` can be reused. */
  #free = new Uint32Array(0);
  #freeCount = 0;

  /** The first number that was never used. */
  get count(): number {
    return this.#count;
  }

  /** The number of epochs that can be added before `count` grows. */
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

  /** Frees all numbers that are not marked in `held`. */
  keep(held: Uint8Array): void {
    const count = this.#count;
    let freeCount = 0;
    for (let id = 1; id < count; id++) if (held[id] !== 1) freeCount++;
    if (this.#free.length < freeCount) this.#free = new Uint32Array(freeCount);
    this.#freeCount = freeCount;
    // The lowest numbers are reused first.
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
