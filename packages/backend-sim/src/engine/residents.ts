/** The number of CTAs on each rank's device. All threads that start CTAs share the counts. */
export class Residents {
  readonly counts: Int32Array;
  /** The limit of each device. */
  readonly limit: number;

  constructor(counts: Int32Array, limit: number) {
    this.counts = counts;
    this.limit = limit;
  }

  has(rank: number, ctas = 1): boolean {
    return Atomics.load(this.counts, rank) + ctas <= this.limit;
  }

  /** Reserves room for a CTA, if there is any. */
  take(rank: number): boolean {
    if (Atomics.add(this.counts, rank, 1) < this.limit) return true;
    Atomics.sub(this.counts, rank, 1);
    return false;
  }

  give(rank: number, ctas = 1): void {
    Atomics.sub(this.counts, rank, ctas);
  }
}
