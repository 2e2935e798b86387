import { machineTime } from '../worker/machine-time.ts';

/**
 * After so long the event loop has its turn, whatever a slice has left to do: a signal or `close`
 * may wait.
 */
const PAUSE_MILLISECONDS = 40;
/**
 * Turns between two looks at the clock, at most, and what these may take before each is looked at.
 */
const MOST_UNSEEN = 8;
const LONG_MILLISECONDS = 1;

/**
 * Says when the time of a slice is over. A look at the clock costs as much as a short turn, so it
 * looks seldom where turns are short.
 */
export class SliceClock {
  #end = Infinity;
  #looked = 0;
  #interval = 1;
  #turns = 1;

  begin(): void {
    this.#end = Infinity;
  }

  /** To be asked after every turn. The first look of a slice begins its time. */
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
