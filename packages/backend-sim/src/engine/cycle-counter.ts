/** The cycles that one read of the counter takes. */
const READ_CYCLES = 16n;
/** The cycles of the first leap. Each further one without a read in between is twice as long. */
const LEAP_CYCLES = 1n << 10n;
/**
 * The largest number of leaps in a row. After that, waits with a time limit count like all others.
 */
const MOST_LEAPS = 60;

/**
 * The simulated cycle counter. It starts at any value, grows with every read, and has no other
 * meaning. If nothing can progress, it leaps ahead, so that timed waits need not poll billions of
 * times.
 */
export class CycleCounter {
  #cycles: bigint;
  #reads = 0;
  #leaps = 0;

  constructor(start: bigint) {
    this.#cycles = BigInt.asUintN(48, start);
  }

  /** Returns how often it was read. */
  get reads(): number {
    return this.#reads;
  }

  /** Returns its current value. */
  get now(): bigint {
    return this.#cycles;
  }

  read(): bigint {
    this.#reads++;
    this.#cycles = BigInt.asUintN(64, this.#cycles + READ_CYCLES);
    return this.#cycles;
  }

  /** Lets time pass. Returns false if that has not helped for long. */
  leap(): boolean {
    if (this.#leaps === MOST_LEAPS) return false;
    this.#cycles += LEAP_CYCLES << BigInt(this.#leaps++);
    return true;
  }

  /** Called when something has made progress. The next leap is short again. */
  landed(): void {
    this.#leaps = 0;
  }
}
