/**
 * Pseudo-random numbers with 128 bits of state: xoshiro128** by Blackman and Vigna, seeded by
 * splitmix32.
 *
 * @see https://prng.di.unimi.it/xoshiro128starstar.c
 */
export class Xoshiro128 {
  #a: number;
  #b: number;
  #c: number;
  #d: number;

  /** The algorithm's state: four 32-bit words, not all 0. */
  constructor(a: number, b: number, c: number, d: number) {
    this.#a = a;
    this.#b = b;
    this.#c = c;
    this.#d = d;
  }

  /** Equal seeds give equal sequences. `seed` must be a safe integer, and all its 53 bits count. */
  static seeded(seed: number): Xoshiro128 {
    let state = (seed ^ Math.imul(Math.floor(seed / 2 ** 32), 0x9e3779b1)) | 0;
    const next = (): number => {
      state = (state + 0x9e3779b9) | 0;
      let z = state;
      z = Math.imul(z ^ (z >>> 16), 0x21f0aaad);
      z = Math.imul(z ^ (z >>> 15), 0x735a2d97);
      return z ^ (z >>> 15);
    };
    return new Xoshiro128(next(), next(), next(), next());
  }

  /** Returns the next 32 bits as an unsigned number. */
  nextU32(): number {
    const b = this.#b;
    const scaled = Math.imul(b, 5);
    const result = Math.imul((scaled << 7) | (scaled >>> 25), 9);
    this.#c ^= this.#a;
    this.#d ^= b;
    this.#b = b ^ this.#c;
    this.#a ^= this.#d;
    this.#c ^= b << 9;
    this.#d = (this.#d << 11) | (this.#d >>> 21);
    return result >>> 0;
  }

  nextU64(): bigint {
    const high = this.nextU32();
    return (BigInt(high) << 32n) | BigInt(this.nextU32());
  }

  /**
   * Returns a whole number from 0 to `bound` - 1. Their probabilities are equal to within `bound` /
   * 2^32.
   */
  below(bound: number): number {
    return Math.floor((this.nextU32() * bound) / 2 ** 32);
  }
}
