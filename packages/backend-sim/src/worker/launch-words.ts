const words = { next: 0, left: 1, prints: 2, dead: 3 } as const;

/** The words of one launch, which the threads share. */
export class LaunchWords {
  readonly buffer: SharedArrayBuffer;
  readonly #words: Int32Array;

  constructor(buffer: SharedArrayBuffer) {
    this.buffer = buffer;
    this.#words = new Int32Array(buffer);
  }

  /** Makes the words of a launch with the given number of CTAs. */
  static of(ctas: number): LaunchWords {
    const made = new LaunchWords(new SharedArrayBuffer(16));
    made.#words[words.left] = ctas;
    return made;
  }

  /** Returns the CTA that starts next; past the last one if all have started. */
  get next(): number {
    return Atomics.load(this.#words, words.next);
  }

  /** Takes the next CTA to start. */
  take(): number {
    return Atomics.add(this.#words, words.next, 1);
  }

  /** Returns the number of CTAs that have not ended. */
  get left(): number {
    return Atomics.load(this.#words, words.left);
  }

  /** Called when a CTA has ended. Returns the number of those that are left. */
  end(): number {
    return Atomics.sub(this.#words, words.left, 1) - 1;
  }

  /** Returns the number of printed lines, each of which is sent as a message. */
  get prints(): number {
    return Atomics.load(this.#words, words.prints);
  }

  print(): void {
    Atomics.add(this.#words, words.prints, 1);
  }

  /** True if its CTAs must not run any longer. */
  get isDead(): boolean {
    return Atomics.load(this.#words, words.dead) !== 0;
  }

  kill(): void {
    Atomics.store(this.#words, words.dead, 1);
  }
}
