import { machineTime } from './machine-time.ts';

/**
 * The time after which the event loop must run, however much of a slice is left, because a signal
 * or `close` may be waiting.
 */
const PAUSE_MILLISECONDS = 40;
/**
 * The largest number of slices between two reads of the clock, and the time they may take before
 * each is timed.
 */
const MOST_UNSEEN = 8;
const LONG_MILLISECONDS = 1;

/**
 * Detects the end of a slice's time. Reading the clock costs as much as a short slice, so it reads
 * the clock rarely if slices are short.
 */
export class SliceClock {
  #end = Infinity;
  #looked = 0;
  #interval = 1;
  #turns = 1;

  begin(): void {
    this.#end = Infinity;
  }

  /** Like `isOver`, in the middle of a turn. The first call of a slice may start its time. */
  get isLate(): boolean {
    const time = machineTime();
    if (this.#end === Infinity) this.#end = time + PAUSE_MILLISECONDS;
    return time >= this.#end;
  }

  /** Must be called after each CTA's slice. The first call of a slice starts its time. */
  isOver(): boolean {
    if (--this.#turns > 0) return false;
    const time = machineTime();
    this.#interval = time - this.#looked > LONG_MILLISECONDS ? 1 : Math.min(2 * this.#interval, MOST_UNSEEN);
    this.#turns = this.#interval;
    this.#looked = time;
    if (this.#end === Infinity) this.#end = time + PAUSE_MILLISECONDS;
    return time >= this.#end;
  }
}
