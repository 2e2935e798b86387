/** Determines when a device has room for one more CTA. */
export class Residency {
  #unused: number;
  /** The times at which slots become free, latest first. */
  readonly #free: number[] = [];

  constructor(places: number) {
    this.#unused = places;
  }

  /**
   * Takes a slot and returns the start of its CTA: `earliest`, or later if no slot is free then.
   */
  take(earliest: number): number {
    const first = this.#free.at(-1);
    if (this.#unused > 0 && (first === undefined || first > earliest)) {
      this.#unused--;
      return earliest;
    }
    this.#free.pop();
    return Math.max(earliest, first ?? 0);
  }

  /** Frees the slot of a CTA that has ended. */
  give(time: number): void {
    let at = this.#free.length;
    while (at > 0 && (this.#free[at - 1] ?? 0) < time) at--;
    this.#free.splice(at, 0, time);
  }
}
