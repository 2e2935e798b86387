import type { Who } from './clock.ts';

/** The number of an epoch. 0 is none. */
export type EpochId = number;

/** All four bytes of a word. */
export const WHOLE_WORD = 15;

/**
 * Who accessed something when and where in the kernel, written down once and named by a number, so that shadow memory takes
 * a number for a word. Numbers stay below 2 ** 31.
 */
export class Epochs {
  who: Uint32Array = new Uint32Array(1024);
  stamp: Uint32Array = new Uint32Array(1024);
  /** The place in the kernel, by its number among all that are watched. */
  site: Uint32Array = new Uint32Array(1024);
  /** Which bytes of the word, one bit each. */
  mask: Uint8Array = new Uint8Array(1024);
  #count = 1;

  get count(): number {
    return this.#count;
  }

  add(who: Who, stamp: number, site: number, mask: number): EpochId {
    const id = this.#count++;
    if (id === this.who.length) this.#grow();
    this.who[id] = who;
    this.stamp[id] = stamp;
    this.site[id] = site;
    this.mask[id] = mask;
    return id;
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
