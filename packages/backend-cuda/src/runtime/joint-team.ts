/**
 * The ranks of this process that make the same launches, each at its own pace. Launches of several
 * ranks belong to the same call if they have the same position.
 */
export class JointTeam {
  readonly ranks: readonly number[];
  readonly #next: number[];
  /** The highest position at which some rank has launched separately. */
  #alone = -1;
  /** True if positions no longer show which launches belong together. */
  #isLost = false;

  constructor(ranks: readonly number[]) {
    this.ranks = ranks;
    this.#next = ranks.map(() => 0);
  }

  /** Returns the position of the next launch of the rank with that index. */
  take(index: number): number {
    const position = this.#next[index];
    if (position === undefined) throw new RangeError('A rank is not in the team.');
    this.#next[index] = position + 1;
    return position;
  }

  /**
   * True if the ranks may still launch together at that position. Two ranks that may have launches
   * at the same position to make, because a rank that is ahead has launched alone.
   */
  canMeet(position: number): boolean {
    return !this.#isLost && position > this.#alone;
  }

  /** Called when some rank launches separately at that position, so that all others must too. */
  partAt(position: number): void {
    this.#alone = Math.max(this.#alone, position);
  }

  /** Called when a launch was recorded on these ranks, so that it does not run at its position. */
  recordedOn(ranks: ReadonlySet<number>): void {
    if (!this.ranks.every((rank) => ranks.has(rank))) this.#isLost = true;
  }
}
