/** Cycles of one read of the counter. */
const READ_CYCLES = 16n;
/** Cycles of the first leap; each further one without a read in between is twice as far. */
const LEAP_CYCLES = 1n << 10n;
/** The largest number of leaps in a row, before every wait is awaited without a time. */
const MOST_LEAPS = 60;

/**
 * The simulated cycle counter: it begins anywhere, grows with every read, and has no other meaning.
 * If nothing can progress, it leaps ahead, so that timed waits need not poll billions of times.
 */
export class CycleCounter {
  #cycles: bigint;
  #reads = 0;
  #leaps = 0;

  constructor(start: bigint) {
    this.#cycles = BigInt.asUintN(48, start);
  }

  /** The number of its reads. */
  get reads(): number {
    return this.#reads;
  }

  /** Its present value. */
  get now(): bigint {
    return this.#cycles;
  }

  read(): bigint {
    this.#reads++;
    this.#cycles = BigInt.asUintN(64, this.#cycles + READ_CYCLES);
    return this.#cycles;
  }

  /** Lets time pass. Answers false where that has not helped for long. */
  leap(): boolean {
    if (this.#leaps === MOST_LEAPS) return false;
    this.#cycles += LEAP_CYCLES << BigInt(this.#leaps++);
    return true;
  }

  /** Something has moved: the next leap is a short one. */
  landed(): void {
    this.#leaps = 0;
  }
}
