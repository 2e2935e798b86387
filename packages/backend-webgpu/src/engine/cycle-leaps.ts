/** Cycles of the first leap; each further one without a read in between is twice as far. */
const FIRST = 1n << 10n;
/** The largest number of leaps in a row, before every wait is awaited without a time. */
const MOST = 60;

/**
 * The part of the cycle counter that the host adds. It grows with every read on the device. If
 * nothing can progress, it leaps ahead, so that timed waits need not poll billions of times.
 */
export class CycleLeaps {
  #cycles = 0n;
  #leaps = 0;

  /** Low word first. */
  get words(): readonly [low: number, high: number] {
    return [Number(BigInt.asUintN(32, this.#cycles)), Number(BigInt.asUintN(32, this.#cycles >> 32n))];
  }

  /** Lets time pass. Answers false where that has not helped for long. */
  leap(): boolean {
    if (this.#leaps === MOST) return false;
    this.#cycles += FIRST << BigInt(this.#leaps++);
    return true;
  }

  /** Something has moved: the next leap is a short one. */
  landed(): void {
    this.#leaps = 0;
  }
}
