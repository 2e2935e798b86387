import { createMacrotaskQueue, type MacrotaskQueue } from '@nccl-ts/core';

/** Work on a GPU that ends by itself. */
export interface PolledWork {
  /** True if it has ended. Throws if it failed. It is called often, so it must be cheap. */
  poll(): boolean;
}

interface Waiter extends PolledWork {
  readonly resolve: () => void;
  readonly reject: (error: unknown) => void;
}

/** The time during which the event loop polls whenever it is free. Most kernels end within it. */
const eagerMilliseconds = 10;
/** The time that one task of the event loop may spend on polling alone. */
const spinMilliseconds = 0.02;
/**
 * Later, the pause between two polls is this fraction of the elapsed time, so the end is noticed at
 * most 5 % late.
 */
const patience = 1 / 20;
const longestPauseMilliseconds = 20;
const watchMilliseconds = 200;

/**
 * Waits for GPUs without blocking the event loop. It polls for short periods, at first whenever the
 * loop is free, and then once a millisecond. A pending wait keeps the process alive.
 */
export class Poller {
  readonly #waiters = new Set<Waiter>();
  #watch: () => void = () => undefined;
  /** The time at which the youngest wait began. */
  #began = 0;
  #watched = 0;
  #scheduled = false;
  readonly #queue: MacrotaskQueue = createMacrotaskQueue();

  /**
   * `watch` is called periodically while something is pending. An error that it throws ends all
   * waits.
   */
  watchWith(watch: () => void): void {
    this.#watch = watch;
  }

  /** Resolves when `pending` has ended. */
  async wait(pending: PolledWork): Promise<void> {
    // Polls once before the wait is set up. A failure is reported like a later one.
    if (pending.poll()) return;
    await new Promise<void>((resolve, reject) => {
      this.#waiters.add({ poll: () => pending.poll(), resolve, reject });
      this.#began = performance.now();
      this.#schedule();
    });
  }

  /** Ends all waits with an error. */
  rejectAll(error: unknown): void {
    for (const { reject } of this.#waiters) reject(error);
    this.#waiters.clear();
  }

  #schedule(): void {
    if (this.#scheduled || this.#waiters.size === 0) return;
    this.#scheduled = true;
    const tick = (): void => {
      this.#scheduled = false;
      this.#turn();
      this.#schedule();
    };
    const waited = performance.now() - this.#began;
    if (waited < eagerMilliseconds) this.#queue.post(tick);
    else this.#queue.postLater(tick, Math.min(waited * patience, longestPauseMilliseconds));
  }

  #turn(): void {
    const began = performance.now();
    if (began - this.#watched > watchMilliseconds) {
      this.#watched = began;
      try {
        this.#watch();
      } catch (error) {
        this.rejectAll(error);
        return;
      }
    }
    this.#lookAtAll();
    const until = began - this.#began < eagerMilliseconds ? began + spinMilliseconds : began;
    while (this.#waiters.size > 0 && performance.now() < until) this.#lookAtAll();
  }

  #lookAtAll(): void {
    for (const waiter of this.#waiters) this.#look(waiter);
  }

  #look(waiter: Waiter): void {
    try {
      if (!waiter.poll()) return;
      this.#waiters.delete(waiter);
      waiter.resolve();
    } catch (error) {
      this.#waiters.delete(waiter);
      waiter.reject(error);
    }
  }
}
