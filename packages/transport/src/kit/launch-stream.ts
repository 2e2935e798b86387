import type { NcclError } from '@nccl-ts/core';
import type { LaunchReport, StreamHandle } from '../backend.ts';

/** Notifies a host program. */
export type Tell = (told: () => void) => void;

/** A pending `synchronize`. */
interface Waiter {
  /** The number of launches of the stream that must have ended. */
  readonly until: number;
  resolve(report: LaunchReport): void;
  reject(error: NcclError): void;
}

/**
 * Launches of one rank that run one after the other, and their results.
 *
 * After a failure, later launches never run, as on a device, until a `synchronize` has reported it.
 */
export class LaunchStream<Launch> implements StreamHandle {
  readonly rank: number;
  /** The launch at the head: the only one that runs. */
  running: Launch | undefined;
  /** Called if no more launches will be enqueued. */
  destroyed = false;
  #queue: (Launch | undefined)[] = [];
  /**
   * Launches that were taken out of `#queue`. Moving the others each time would be slow, so their
   * slots stay empty.
   */
  #taken = 0;
  readonly #waiters: Waiter[] = [];
  #enqueued = 0;
  #ended = 0;
  #failure: NcclError | undefined;
  #launches = 0;
  #printed: string[] = [];

  readonly #tell: Tell;

  /**
   * `tell` gets a function that reports the end of a launch to a host program, and calls it at the
   * right time. Default: at once.
   */
  constructor(rank: number, tell: Tell = (told) => told()) {
    this.rank = rank;
    this.#tell = tell;
  }

  /** Launches that wait for the one at the head. */
  get queued(): readonly Launch[] {
    return this.#queue.filter((launch) => launch !== undefined);
  }

  /** The launch that will be at the head next. */
  get next(): Launch | undefined {
    return this.#queue[this.#taken];
  }

  /** True if something runs, waits to run, or is waited for. */
  get busy(): boolean {
    return this.running !== undefined || this.#waiters.length > 0;
  }

  /** Takes a launch in; false where it never runs because of an earlier failure. */
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
    // Launches may hold much memory until they are collected, because thousands may wait after one
    // that ended long ago.
    if (this.running !== undefined) this.#queue[this.#taken++] = undefined;
    if (this.#taken === this.#queue.length) {
      this.#queue = [];
      this.#taken = 0;
    }
    return this.running;
  }

  /** The launch at the head has run to its end. */
  complete(): void {
    this.running = undefined;
    this.#ended++;
    this.#launches++;
    this.#settle();
  }

  /**
   * Records a failure: launches that were enqueued so far never run. Returns the dropped launches.
   */
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

  /** Takes the printed lines that were not taken before. */
  takePrinted(): readonly string[] {
    const printed = this.#printed;
    this.#printed = [];
    return printed;
  }

  /**
   * Resolves when all that was enqueued before has ended; rejects with the first failure since the
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
        this.#tell(() => waiter.resolve(report));
      } else this.#tell(() => waiter.reject(failure));
    }
  }

  #takeReport(): LaunchReport {
    const report = { launches: this.#launches, printed: this.takePrinted() };
    this.#launches = 0;
    return report;
  }
}
