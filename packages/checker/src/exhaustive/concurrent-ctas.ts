/**
 * The largest number of CTAs that the device of a rank must hold at the same time, since its
 * streams run concurrently.
 */
export class ConcurrentCtas<Stream> {
  readonly #ranks = new Map<number, Map<Stream, number>>();

  /**
   * Adds a grid and returns the number for its rank. A grid that may begin early runs beside the
   * earlier ones on its stream.
   */
  add(rank: number, stream: Stream, ctas: number, mayBeginEarly: boolean): number {
    const streams = this.#ranks.get(rank) ?? new Map<Stream, number>();
    this.#ranks.set(rank, streams);
    const before = streams.get(stream) ?? 0;
    streams.set(stream, mayBeginEarly ? before + ctas : Math.max(before, ctas));
    return [...streams.values()].reduce((sum, one) => sum + one, 0);
  }
}
