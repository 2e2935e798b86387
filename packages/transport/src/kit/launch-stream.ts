import type { NcclError } from '@nccl-ts/core';
import type { LaunchReport, StreamHandle } from '../backend.ts';

/** Notifies a host program. */
export type NotifyLater = (notice: () => void) => void;

/** A pending `synchronize`. */
interface Waiter {
  /** The number of launches of the stream that must have ended. */
  readonly until: number;
  resolve(report: LaunchReport): void;
  reject(error: NcclError): void;
}

/**
 * The launches of one rank that run one after the other, and their results.
 *
 * After a failure, later launches never run, as on a device, until a `synchronize` has reported it.
 */
export class LaunchStream<Launch> implements StreamHandle {
  readonly rank: number;
  /** The launch at the head, which is the only one that runs. */
  running: Launch | undefined;
  /** Called when no more launches will be enqueued. */
  destroyed = false;
  #queue: (Launch | undefined)[] = [];
  /**
   * The number of launches that were taken out of `#queue`. Their slots stay empty, because moving
   * the others each time would be slow.
   */
  #taken = 0;
  readonly #waiters: Waiter[] = [];
  #enqueued = 0;
  #ended = 0;
  #failure: NcclError | undefined;
  #launches = 0;
  #printed: string[] = [];

  readonly #notify: NotifyLater;

  /**
   * `notify` receives a function that reports the end of a launch to a host program, and calls it
   * at the right time. By default it calls it immediately.
   */
  constructor(rank: number, notify: NotifyLater = (notice) => notice()) {
    this.rank = rank;
    this.#notify = notify;
  }

  /** The launches that wait for the one at the head. */
  get queued(): readonly Launch[] {
    return this.#queue.filter((launch) => launch !== undefined);
  }

  /** The next launch after the head. */
  get next(): Launch | undefined {
    return this.#queue[this.#taken];
  }

  /** True if a launch runs or waits, or if a host program waits for the stream. */
  get busy(): boolean {
    return this.running !== undefined || this.#waiters.length > 0;
  }

  /** Enqueues a launch. Returns false if it never runs because of an earlier failure. */
  enqueue(launch: Launch): boolean {
    this.#enqueued++;
    if (this.#failure !== undefined) {
      this.#ended++;
      return false;
    }
    this.#queue.push(launch);
    return true;
  }

  /** Moves the next launch to the head. */
  advance(): Launch | undefined {
    this.running = this.#queue[this.#taken];
    // Ended launches are dropped, because thousands may wait in the queue, and each may hold much
    // memory.
    if (this.running !== undefined) this.#queue[this.#taken++] = undefined;
    if (this.#taken === this.#queue.length) {
      this.#queue = [];
      this.#taken = 0;
    }
    return this.running;
  }

  /** Records that the launch at the head has run to its end. */
  complete(): void {
    this.running = undefined;
    this.#ended++;
    this.#launches++;
    this.#settle();
  }

  /** Records a failure. The launches enqueued so far never run. Returns these launches. */
  fail(error: NcclError): readonly Launch[] {
    this.running = undefined;
    this.#failure ??= error;
    this.#ended = this.#enqueued;
    const dropped = this.queued;
    this.#queue = [];
    this.#taken = 0;
    this.#settle();
    return dropped;
  }

  print(line: string): void {
    this.#printed.push(line);
  }

  /** Returns the printed lines that were not returned before. */
  takePrinted(): readonly string[] {
    const printed = this.#printed;
    this.#printed = [];
    return printed;
  }

  /**
   * Resolves when all launches enqueued before have ended. Rejects with the first failure since the
   * last call.
   */
  synchronize(): Promise<LaunchReport> {
    return new Promise((resolve, reject) => {
      this.#waiters.push({ until: this.#enqueued, resolve, reject });
      this.#settle();
    });
  }

  #settle(): void {
    const ready = this.#waiters.filter((waiter) => waiter.until <= this.#ended);
    if (ready.length === 0) return;
    const rest = this.#waiters.filter((waiter) => waiter.until > this.#ended);
    this.#waiters.splice(0, this.#waiters.length, ...rest);
    const failure = this.#failure;
    this.#failure = undefined;
    for (const waiter of ready) {
      if (failure === undefined) {
        const report = this.#takeReport();
        this.#notify(() => waiter.resolve(report));
      } else this.#notify(() => waiter.reject(failure));
    }
  }

  #takeReport(): LaunchReport {
    const report = { launches: this.#launches, printed: this.takePrinted() };
    this.#launches = 0;
    return report;
  }
}
