import type { MacrotaskQueue } from '@nccl-ts/core';

/**
 * A queue whose tasks wait while it is held. Kernels then stand still, so their schedule does not
 * depend on how long that takes.
 */
export class HoldableQueue implements MacrotaskQueue {
  readonly #queue: MacrotaskQueue;
  #holds = 0;
  /** The task whose turn has come while the queue is held. */
  #waiting: (() => void) | undefined;

  constructor(queue: MacrotaskQueue) {
    this.#queue = queue;
  }

  post(callback: () => void): void {
    this.#queue.post(() => this.#run(callback));
  }

  postLater(callback: () => void, milliseconds: number): void {
    this.#queue.postLater(() => this.#run(callback), milliseconds);
  }

  /** Holds the queue until the returned function is called. */
  hold(): () => void {
    this.#holds++;
    return () => {
      this.#holds--;
      const waiting = this.#waiting;
      if (this.#holds > 0 || waiting === undefined) return;
      this.#waiting = undefined;
      this.post(waiting);
    };
  }

  close(): void {
    this.#waiting = undefined;
    this.#queue.close();
  }

  #run(callback: () => void): void {
    if (this.#holds > 0) this.#waiting = callback;
    else callback();
  }
}
