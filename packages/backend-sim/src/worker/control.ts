/** The words that the threads of one world share, each in its own cache line. */
const words = { progress: 0, sleepers: 16, mail: 32, firstThread: 48 } as const;
const THREAD_WORDS = 16;
const own = { mail: 0, state: 1, stamp: 2 } as const;

/**
 * The state of a thread: `busy` if it may change memory, `parked` if all its CTAs wait, `empty` if
 * it has none.
 */
const states = { busy: 0, parked: 1, empty: 2 } as const;

export function controlBuffer(threads: number): SharedArrayBuffer {
  return new SharedArrayBuffer((words.firstThread + threads * THREAD_WORDS) * 4);
}

/**
 * The shared state by which the threads of a world know of each other. *Progress* counts everything
 * that may have changed memory, after it has: slices of CTAs, steps of the network, writes by
 * hosts. *Mail* counts messages from the world to all threads.
 *
 * No CTA can continue once every thread has read all mail and found that none of its CTAs can
 * continue at the current progress.
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

  /** Called when memory may have changed. Sleeping threads check again. */
  advance(): void {
    Atomics.add(this.#words, words.progress, 1);
    if (Atomics.load(this.#words, words.sleepers) > 0) Atomics.notify(this.#words, words.progress);
  }

  get mail(): number {
    return Atomics.load(this.#words, words.mail);
  }

  /** Must be called once a message has been sent to every thread. */
  mailed(): void {
    Atomics.add(this.#words, words.mail, 1);
    this.advance();
  }

  /**
   * Sleeps while progress is `seen`, for at most some milliseconds, because a plain store wakes no
   * thread.
   */
  sleep(seen: number, milliseconds: number): void {
    Atomics.add(this.#words, words.sleepers, 1);
    Atomics.wait(this.#words, words.progress, seen, milliseconds);
    Atomics.sub(this.#words, words.sleepers, 1);
  }

  /**
   * Records that the thread has handled the given number of messages. It counts as busy until then.
   */
  read(thread: number, mail: number): void {
    Atomics.store(this.#words, this.#at(thread, own.mail), mail);
  }

  busy(thread: number): void {
    Atomics.store(this.#words, this.#at(thread, own.state), states.busy);
  }

  /** Records that the thread has checked all its CTAs at this progress, and none can continue. */
  parked(thread: number, progress: number): void {
    Atomics.store(this.#words, this.#at(thread, own.stamp), progress);
    Atomics.store(this.#words, this.#at(thread, own.state), states.parked);
  }

  empty(thread: number): void {
    Atomics.store(this.#words, this.#at(thread, own.state), states.empty);
  }

  /** True if no thread can continue, unless memory changes from outside. */
  get isStill(): boolean {
    const { progress, mail } = this;
    for (let thread = 0; thread < this.#threads; thread++) {
      // The order matters: a thread that has read the last message has been busy since.
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
