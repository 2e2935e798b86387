/**
 * The ranks of this process that make the same launches, each at its own pace. Launches of several
 * ranks are the same call if they have the same position.
 */
export class JointTeam {
  readonly ranks: readonly number[];
  readonly #next: number[];
  /** The highest position that some rank has launched separately. */
  #alone = -1;
  /** Positions no longer tell which launches belong together. */
  #isLost = false;

  constructor(ranks: readonly number[]) {
    this.ranks = ranks;
    this.#next = ranks.map(() => 0);
  }

  /** The position of the next launch of the rank with that index. */
  take(index: number): number {
    const position = this.#next[index];
    if (position === undefined) throw new RangeError('A rank is not in the team.');
    this.#next[index] = position + 1;
    return position;
  }

  /**
   * True if the ranks may still launch together at that position. Launches of two ranks that may,
   * and were not made yet, have the same position: the rank that is ahead has launched alone.
   */
  canMeet(position: number): boolean {
    return !this.#isLost && position > this.#alone;
  }

  /** Some rank launches separately at that position, so all others must too. */
  partAt(position: number): void {
    this.#alone = Math.max(this.#alone, position);
  }

  /** A launch was recorded on these ranks, so it does not run at its position. */
  recordedOn(ranks: ReadonlySet<number>): void {
    if (!this.ranks.every((rank) => ranks.has(rank))) this.#isLost = true;
  }
}
