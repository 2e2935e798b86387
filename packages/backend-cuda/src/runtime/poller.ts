import { createMacrotaskQueue, type MacrotaskQueue } from '@nccl-ts/core';

/** Work on a GPU that ends without being stopped. */
export interface Pending {
  /** True if it has ended; throws where it failed. Called often, so it must be cheap. */
  poll(): boolean;
}

interface Waiter extends Pending {
  readonly resolve: () => void;
  readonly reject: (error: unknown) => void;
}

/**
 * The time during which the event loop polls whenever it is free; most kernels have ended by then.
 */
const eagerMilliseconds = 10;
/** The time of an event loop task that may be spent on polling alone. */
const spinMilliseconds = 0.02;
/**
 * Later the pause between two polls is this fraction of the time so far, so the end is seen at most
 * 5 % late.
 */
const patience = 1 / 20;
const longestPauseMilliseconds = 20;
const watchMilliseconds = 200;

/**
 * Waits for GPUs without blocking the event loop: polls for short periods, first whenever it is
 * free, then once a millisecond. A pending wait keeps the process alive.
 */
export class Poller {
  readonly #waiters = new Set<Waiter>();
  #watch: () => void = () => undefined;
  /** When the youngest of the waits began. */
  #began = 0;
  #watched = 0;
  #scheduled = false;
  readonly #queue: MacrotaskQueue = createMacrotaskQueue();

  /**
   * `watch` is called periodically while something is pending; an error that it throws ends all
   * waits.
   */
  watchWith(watch: () => void): void {
    this.#watch = watch;
  }

  /** Resolves when `pending` has ended. */
  async wait(pending: Pending): Promise<void> {
    // One query before a wait is set up; a failure is reported like a later one.
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
