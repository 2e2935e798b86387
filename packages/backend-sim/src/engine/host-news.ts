/** The end of work of a stream, of which a host program has not heard. */
interface Notice {
  readonly rank: number;
  /** Identifies the stream. */
  readonly of: object;
  readonly give: () => void;
}

/** Returns one of `count` alternatives, from 0. */
export type Choose = (count: number) => number;

/**
 * Messages to host programs about launches. They are delivered at once, or kept until the current
 * slice has ended.
 */
export class HostNews {
  #deferred: Notice[] = [];
  #keeps = false;
  readonly #choose: Choose | undefined;

  /**
   * With `choose`, a host learns of the end of one stream at a time, so that what it does in
   * between is seen. `choose` decides which of them is the first.
   */
  constructor(choose: Choose | undefined) {
    this.#choose = choose;
  }

  /** Returns a function that delivers messages to the host of a rank about one of its streams. */
  about(of: object, rank: number): (give: () => void) => void {
    return (give) => {
      if (this.#keeps) this.#deferred.push({ rank, of, give });
      else give();
    };
  }

  /** Keeps messages from now on. */
  keep(): void {
    this.#keeps = true;
  }

  /** Delivers later messages at once. Messages that are kept stay kept. */
  pass(): void {
    this.#keeps = false;
  }

  /** Delivers messages that were kept. Returns true if some are kept until after another slice. */
  release(): boolean {
    const notices = this.#deferred;
    if (notices.length === 0) return false;
    const first = this.#firstStreams(notices);
    this.#deferred = notices.filter(({ rank, of }) => first.has(rank) && first.get(rank) !== of);
    for (const { rank, of, give } of notices) if (!first.has(rank) || first.get(rank) === of) give();
    return this.#deferred.length > 0;
  }

  /** Delivers all messages. */
  end(): void {
    while (this.release());
  }

  /** By rank that hears of several streams: the stream that comes first. */
  #firstStreams(notices: readonly Notice[]): ReadonlyMap<number, object> {
    const first = new Map<number, object>();
    const choose = this.#choose;
    if (choose === undefined) return first;
    const byRank = new Map<number, Set<object>>();
    for (const { rank, of } of notices) byRank.set(rank, (byRank.get(rank) ?? new Set<object>()).add(of));
    for (const [rank, streams] of byRank) {
      const chosen = streams.size > 1 ? [...streams][choose(streams.size)] : undefined;
      if (chosen !== undefined) first.set(rank, chosen);
    }
    return first;
  }
}
