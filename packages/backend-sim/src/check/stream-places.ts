/** A launch, as the host of its rank has enqueued it. */
export interface EnqueuedLaunch {
  readonly id: number;
  /** Its stream, by identity. */
  readonly stream: object;
  /** True if it may begin before the previous launch on its stream ends. */
  readonly mayBeginEarly: boolean;
}

/**
 * Why two launches of one rank may run at the same time.
 *
 * - `streams`: they are on two streams.
 * - `early`: the later one directly follows, and may begin before the other has ended.
 * - `chain`: the same, with launches in between.
 */
export type Overlap = 'streams' | 'early' | 'chain';

/** Returns the reason why two launches may overlap; `undefined` if none is known. */
export type OverlapOf = (one: number, other: number) => Overlap | undefined;

interface StreamPlace extends Omit<EnqueuedLaunch, 'id'> {
  /** Its number on its stream. */
  readonly place: number;
}

/** The streams of all launches, and their places there. */
export class StreamPlaces {
  readonly #places = new Map<number, StreamPlace>();
  readonly #counts = new WeakMap<object, number>();

  add({ id, stream, mayBeginEarly }: EnqueuedLaunch): void {
    const place = (this.#counts.get(stream) ?? 0) + 1;
    this.#counts.set(stream, place);
    this.#places.set(id, { stream, place, mayBeginEarly });
  }

  /** True if both launches are on one stream, the first before the second. */
  isBefore(one: number, other: number): boolean {
    const [first, second] = [this.#places.get(one), this.#places.get(other)];
    return first !== undefined && first.stream === second?.stream && first.place < second.place;
  }

  readonly overlap: OverlapOf = (one, other) => {
    const [early, late] = [this.#places.get(Math.min(one, other)), this.#places.get(Math.max(one, other))];
    if (early === undefined || late === undefined || one === other) return undefined;
    if (early.stream !== late.stream) return 'streams';
    if (!late.mayBeginEarly) return undefined;
    return late.place === early.place + 1 ? 'early' : 'chain';
  };
}
