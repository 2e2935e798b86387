/** The cycles of the first leap. Each further one without a read in between is twice as long. */
const FIRST = 1n << 10n;
/**
 * The largest number of leaps in a row. After that, waits with a time limit count like all others.
 */
const MOST = 60;

/**
 * The part of the cycle counter that the host adds. The counter grows with every read on the
 * device. If nothing can progress, it leaps ahead, so that timed waits need not poll billions of
 * times.
 */
export class CycleLeaps {
  #cycles = 0n;
  #leaps = 0;

  /** Low word first. */
  get words(): readonly [low: number, high: number] {
    return [Number(BigInt.asUintN(32, this.#cycles)), Number(BigInt.asUintN(32, this.#cycles >> 32n))];
  }

  /** Lets time pass. Returns false if that has not helped for long. */
  leap(): boolean {
    if (this.#leaps === MOST) return false;
    this.#cycles += FIRST << BigInt(this.#leaps++);
    return true;
  }

  /** Called when something has made progress. The next leap is short again. */
  landed(): void {
    this.#leaps = 0;
  }
}
