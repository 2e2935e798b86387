import { at as itemAt } from '@nccl-ts/core';
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
    if (first === undefined) throw new RangeError('More CTAs run than a device has slots.');
    this.#free.pop();
    return Math.max(earliest, first);
  }

  /** Frees the slot of a CTA that has ended. */
  give(time: number): void {
    let at = this.#free.length;
    while (at > 0 && itemAt(this.#free, at - 1) < time) at--;
    this.#free.splice(at, 0, time);
  }
}
