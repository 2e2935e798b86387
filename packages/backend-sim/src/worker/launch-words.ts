const words = { next: 0, left: 1, prints: 2, dead: 3 } as const;

/** What the threads share of one launch. */
export class LaunchWords {
  readonly buffer: SharedArrayBuffer;
  readonly #words: Int32Array;

  constructor(buffer: SharedArrayBuffer) {
    this.buffer = buffer;
    this.#words = new Int32Array(buffer);
  }

  /** The words of a launch of so many CTAs. */
  static of(ctas: number): LaunchWords {
    const made = new LaunchWords(new SharedArrayBuffer(16));
    made.#words[words.left] = ctas;
    return made;
  }

  /** The CTA that starts next; past the last one, where all have. */
  get next(): number {
    return Atomics.load(this.#words, words.next);
  }

  /** Takes the CTA that starts next. */
  take(): number {
    return Atomics.add(this.#words, words.next, 1);
  }

  /** CTAs that have not ended. */
  get left(): number {
    return Atomics.load(this.#words, words.left);
  }

  /** A CTA has ended; answers how many are left. */
  end(): number {
    return Atomics.sub(this.#words, words.left, 1) - 1;
  }

  /** Lines that were printed: as many messages are on their way. */
  get prints(): number {
    return Atomics.load(this.#words, words.prints);
  }

  print(): void {
    Atomics.add(this.#words, words.prints, 1);
  }

  /** None of its CTAs may have another turn. */
  get isDead(): boolean {
    return Atomics.load(this.#words, words.dead) !== 0;
  }

  kill(): void {
    Atomics.store(this.#words, words.dead, 1);
  }
}
