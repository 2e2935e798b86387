import type { Random } from 'fast-check';

/** Random choices from one seeded generator. */
export class Choices {
  readonly #random: Random;

  constructor(random: Random) {
    this.#random = random;
  }

  /** A number from 0 to `count - 1`. */
  below(count: number): number {
    return this.#random.nextInt(0, count - 1);
  }

  /** True in `percent` of 100 cases. */
  chance(percent: number): boolean {
    return this.below(100) < percent;
  }

  of<T>(options: readonly T[]): T {
    const option = options[this.below(options.length)];
    if (option === undefined) throw new Error('nothing to choose from');
    return option;
  }

  /** Calls one of the functions, with a probability that is proportional to its weight. */
  weighted<T>(options: readonly (readonly [weight: number, make: () => T])[]): T {
    let at = this.below(options.reduce((total, [weight]) => total + weight, 0));
    for (const [weight, make] of options) {
      if (at < weight) return make();
      at -= weight;
    }
    throw new Error('nothing to choose from');
  }

  /** `count` random bits. */
  bits(count: number): bigint {
    let value = 0n;
    for (let have = 0; have < count; have += 16) value = (value << 16n) | BigInt(this.below(0x10000));
    return value & ((1n << BigInt(count)) - 1n);
  }
}
