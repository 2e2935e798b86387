/** The bytes of a word that an access may touch: all, a half, or one. */
const MASKS = [15, 1, 2, 4, 8, 3, 12];

/** The last epochs of a group's accesses, by site and by the bytes that they touch. */
export class EpochIds {
  readonly #threads: number;
  readonly #ids: (Uint32Array | undefined)[] = [];

  constructor(threads: number) {
    this.#threads = threads;
  }

  /** The epochs by thread; 0 where there is none. */
  of(site: number, mask: number): Uint32Array {
    const slot = mask === 15 ? site * MASKS.length : site * MASKS.length + MASKS.indexOf(mask);
    const known = this.#ids[slot];
    if (known !== undefined) return known;
    const ids = new Uint32Array(this.#threads);
    this.#ids[slot] = ids;
    return ids;
  }

  forget(): void {
    this.#ids.length = 0;
  }
}
