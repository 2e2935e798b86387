/** Words that the threads of one world share, each in a separate cache line. */
const words = { progress: 0, sleepers: 16, mail: 32, firstThread: 48 } as const;
const THREAD_WORDS = 16;
const own = { mail: 0, state: 1, stamp: 2 } as const;

/** The state of a thread: it may change memory; all its CTAs wait; it has none. */
const states = { busy: 0, parked: 1, empty: 2 } as const;

export function controlBuffer(threads: number): SharedArrayBuffer {
  return new SharedArrayBuffer((words.firstThread + threads * THREAD_WORDS) * 4);
}

/**
 * The shared state through which the threads of a world know of each other. *Progress* counts
 * everything that may have changed memory, after it has: slices of CTAs, steps of the network,
 * writes of hosts. *Mail* counts messages of the world to all threads.
 *
 * No CTA can continue once every thread has read all mail and found, at the present progress, that
 * none of its CTAs can continue.
 */
export class Control {
  readonly buffer: SharedArrayBuffer;
  readonly #words: Int32Array;
  readonly #threads: number;

  constructor(buffer: SharedArrayBuffer) {
    this.buffer = buffer;
    this.#words = new Int32Array(buffer);
    this.#threads = (this.#words.length - words.firstThread) / THREAD_WORDS;
  }

  get progress(): number {
    return Atomics.load(this.#words, words.progress);
  }

  /** Memory may have changed: sleeping threads check again. */
  advance(): void {
    Atomics.add(this.#words, words.progress, 1);
    if (Atomics.load(this.#words, words.sleepers) > 0) Atomics.notify(this.#words, words.progress);
  }

  get mail(): number {
    return Atomics.load(this.#words, words.mail);
  }

  /** Must be called once a message was sent to every thread. */
  mailed(): void {
    Atomics.add(this.#words, words.mail, 1);
    this.advance();
  }

  /**
   * Sleeps while progress is `seen`, and for at most some milliseconds: plain stores wake no
   * thread.
   */
  sleep(seen: number, milliseconds: number): void {
    Atomics.add(this.#words, words.sleepers, 1);
    Atomics.wait(this.#words, words.progress, seen, milliseconds);
    Atomics.sub(this.#words, words.sleepers, 1);
  }

  /** The thread has handled the given number of messages. It counts as busy from before it did. */
  read(thread: number, mail: number): void {
    Atomics.store(this.#words, this.#at(thread, own.mail), mail);
  }

  busy(thread: number): void {
    Atomics.store(this.#words, this.#at(thread, own.state), states.busy);
  }

  /** The thread has checked all its CTAs, at this progress, and none can continue. */
  parked(thread: number, progress: number): void {
    Atomics.store(this.#words, this.#at(thread, own.stamp), progress);
    Atomics.store(this.#words, this.#at(thread, own.state), states.parked);
  }

  empty(thread: number): void {
    Atomics.store(this.#words, this.#at(thread, own.state), states.empty);
  }

  /** True if nothing can move on any of the threads, unless from outside. */
  get isStill(): boolean {
    const { progress, mail } = this;
    for (let thread = 0; thread < this.#threads; thread++) {
      // In this order: who has read the last message was busy since.
      if (Atomics.load(this.#words, this.#at(thread, own.mail)) !== mail) return false;
      const state = Atomics.load(this.#words, this.#at(thread, own.state));
      if (state === states.busy) return false;
      if (state === states.parked && Atomics.load(this.#words, this.#at(thread, own.stamp)) !== progress) return false;
    }
    return this.progress === progress;
  }

  #at(thread: number, word: number): number {
    return words.firstThread + thread * THREAD_WORDS + word;
  }
}
