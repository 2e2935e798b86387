/** Seeded numbers. The same seed gives the same sequence. */
export class Random {
  #state: number;

  constructor(seed: number) {
    this.#state = (Math.imul(seed, 0x9e3779b1) + 0x7f4a7c15) >>> 0;
  }

  /** A number from 0 to below 1, by mulberry32. */
  unit(): number {
    this.#state = (this.#state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(this.#state ^ (this.#state >>> 15), this.#state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  }

  /** An integer from 0 to `count` - 1. */
  below(count: number): number {
    return Math.floor(this.unit() * count);
  }

  /** Returns true with this probability. */
  chance(probability: number): boolean {
    return this.unit() < probability;
  }

  /**
   * An element of `items`, which must not be empty. An element that is listed twice is twice as
   * likely.
   */
  pick<const T>(items: readonly [T, ...T[]]): T {
    return items[this.below(items.length)] ?? items[0];
  }

  /**
   * One of the names of `weights`, with a probability proportional to its weight. The weights must
   * not all be 0.
   */
  weighted<K extends string>(weights: Readonly<Record<K, number>>): K {
    const names = keysOf(weights);
    let left = this.unit() * names.reduce((sum, name) => sum + weights[name], 0);
    for (const name of names) {
      left -= weights[name];
      if (left < 0) return name;
    }
    throw new RangeError('At least one weight must not be 0.');
  }
}

function keysOf<K extends string>(table: Readonly<Record<K, number>>): readonly K[] {
  return Object.keys(table).filter((name): name is K => Object.hasOwn(table, name));
}
