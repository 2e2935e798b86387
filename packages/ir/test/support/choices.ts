/**
 * A source of decisions made from a list of numbers, so that fast-check can shrink the result: a
 * shorter list or smaller numbers give a simpler result. When the list is used up, every choice is
 * the first one.
 */
export class Choices {
  readonly #numbers: readonly number[];
  #next = 0;

  constructor(numbers: readonly number[]) {
    this.#numbers = numbers;
  }

  get spent(): boolean {
    return this.#next >= this.#numbers.length;
  }

  /** A whole number below `count`. */
  below(count: number): number {
    const number = this.#numbers[this.#next++] ?? 0;
    return number % count;
  }

  /** One of `options`, which has at least one. */
  of<T>(options: readonly T[]): T {
    const option = options[this.below(options.length)];
    if (option === undefined) throw new Error('Choices.of needs options');
    return option;
  }

  /** True in about one of `n` cases. Always false once the list is used up. */
  oneIn(n: number): boolean {
    return this.below(n) === n - 1 && n > 1;
  }
}
