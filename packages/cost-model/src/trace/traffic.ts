/** The bytes that the kernels of a rank have moved over its link to a peer. */
export interface LinkTraffic {
  readonly rank: number;
  /** The rank that owns the memory. */
  readonly peer: number;
  /** The bytes that the rank has loaded from the peer. */
  readonly loaded: number;
  /** The bytes that the rank has stored to the peer. */
  readonly stored: number;
}

/** Counts bytes between ranks. */
export class Traffic {
  readonly #ranks: number;
  readonly #loaded: Float64Array;
  readonly #stored: Float64Array;

  constructor(ranks: number) {
    this.#ranks = ranks;
    this.#loaded = new Float64Array(ranks * ranks);
    this.#stored = new Float64Array(ranks * ranks);
  }

  loads(rank: number, peer: number, bytes: number): void {
    const link = rank * this.#ranks + peer;
    this.#loaded[link] = (this.#loaded[link] ?? Number.NaN) + bytes;
  }

  stores(rank: number, peer: number, bytes: number): void {
    const link = rank * this.#ranks + peer;
    this.#stored[link] = (this.#stored[link] ?? Number.NaN) + bytes;
  }

  /** All ordered pairs of different ranks, by rank and peer. */
  get links(): readonly LinkTraffic[] {
    const links: LinkTraffic[] = [];
    for (const [link, loaded] of this.#loaded.entries()) {
      const [rank, peer] = [Math.floor(link / this.#ranks), link % this.#ranks];
      const stored = this.#stored[link] ?? Number.NaN;
      if (rank !== peer) links.push(Object.freeze({ rank, peer, loaded, stored }));
    }
    return Object.freeze(links);
  }
}
