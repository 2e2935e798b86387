/** When a device has room for one more CTA. */
export class Residency {
  #unused: number;
  /** When places became free that were taken before, latest first. */
  readonly #free: number[] = [];

  constructor(places: number) {
    this.#unused = places;
  }

  /**
   * Takes a place; answers when its CTA begins: at `earliest`, or later where none is free then.
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

  /** A CTA has ended. */
  give(time: number): void {
    let at = this.#free.length;
    while (at > 0 && (this.#free[at - 1] ?? 0) < time) at--;
    this.#free.splice(at, 0, time);
  }
}
