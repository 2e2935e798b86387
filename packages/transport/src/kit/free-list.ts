/** The free ranges within `[start, limit)`, ascending and never adjacent. */
interface Gap {
  start: number;
  end: number;
}

/**
 * Allocates pieces of a range of numbers. It takes the lowest gap that fits, so that used pieces
 * stay together.
 */
export class FreeList {
  readonly #gaps: Gap[];
  readonly #align: number;

  /** `start` and `limit` are multiples of `align`, and so is everything that `take` returns. */
  constructor(start: number, limit: number, align: number) {
    this.#gaps = start < limit ? [{ start, end: limit }] : [];
    this.#align = align;
  }

  /**
   * Takes `size` numbers, rounded up to the alignment. Returns their start, or `undefined` if no
   * gap is large enough.
   */
  take(size: number): number | undefined {
    const length = this.#round(size);
    const index = this.#gaps.findIndex((gap) => gap.end - gap.start >= length);
    const gap = this.#gaps[index];
    if (gap === undefined) return undefined;
    const start = gap.start;
    gap.start += length;
    if (gap.start === gap.end) this.#gaps.splice(index, 1);
    return start;
  }

  /** Frees the result of `take(size)`. */
  give(start: number, size: number): void {
    const end = start + this.#round(size);
    let index = this.#gaps.findIndex((gap) => gap.start >= end);
    if (index === -1) index = this.#gaps.length;
    const before = this.#gaps[index - 1];
    const after = this.#gaps[index];
    const joinsBefore = before !== undefined && before.end === start;
    const joinsAfter = after !== undefined && after.start === end;
    if (joinsBefore && joinsAfter) {
      before.end = after.end;
      this.#gaps.splice(index, 1);
    } else if (joinsBefore) {
      before.end = end;
    } else if (joinsAfter) {
      after.start = start;
    } else {
      this.#gaps.splice(index, 0, { start, end });
    }
  }

  /** The size of the longest piece that `take` could return now. */
  get largest(): number {
    return this.#gaps.reduce((most, gap) => Math.max(most, gap.end - gap.start), 0);
  }

  #round(size: number): number {
    return Math.max(1, Math.ceil(size / this.#align)) * this.#align;
  }
}
