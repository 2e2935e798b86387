/** Cycles of the first leap; each that follows with nothing between goes twice as far. */
const FIRST = 1n << 10n;
/** After so many leaps in a row the counter has been everywhere: nobody waits for a time. */
const MOST = 60;

/**
 * What the host lets pass of the cycle counter. It grows with every reading on the device; where
 * everything stands still it leaps, so that what waits for a time need not be asked billions of
 * times.
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
