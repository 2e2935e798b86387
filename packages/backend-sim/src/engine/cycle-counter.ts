/** Cycles that one reading of the counter takes. */
const READ_CYCLES = 16n;
/** Cycles of the first leap; each that follows with nothing between goes twice as far. */
const LEAP_CYCLES = 1n << 10n;
/** After so many leaps in a row the counter has been everywhere: nobody waits for a time. */
const MOST_LEAPS = 60;

/**
 * The simulated cycle counter: it begins anywhere, grows with every reading, and means nothing
 * else. Where everything stands still it leaps, so that what waits for a time need not be asked
 * billions of times.
 */
export class CycleCounter {
  #cycles: bigint;
  #reads = 0;
  #leaps = 0;

  constructor(start: bigint) {
    this.#cycles = BigInt.asUintN(48, start);
  }

  /** How often it was read. */
  get reads(): number {
    return this.#reads;
  }

  /** What it has come to. */
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
