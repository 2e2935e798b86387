import type { EpochId } from './epochs.ts';

/** Words of a page: 16 KiB of the memory behind it. */
export const PAGE_WORDS = 4096;

/**
 * What was done last to a page of memory, word by word. A cell is 0, an epoch, or, with the highest bit, the number of a list
 * of them: accesses of which none is ordered before another, or that touch different bytes of the word.
 */
export interface Page {
  readonly writes: Uint32Array;
  readonly reads: Uint32Array;
}

export const LIST = 0x8000_0000;

/** Shadow of one memory: two numbers for each four bytes of what has been touched. */
export class Shadow {
  readonly pages: (Page | undefined)[] = [];
  readonly #lists: (EpochId[] | undefined)[] = [];
  readonly #free: number[] = [];
  #pageCount = 0;

  /** Bytes that the shadow itself takes, without its lists. */
  get bytes(): number {
    return this.#pageCount * PAGE_WORDS * 8;
  }

  page(index: number): Page {
    const known = this.pages[index];
    if (known !== undefined) return known;
    const page = { writes: new Uint32Array(PAGE_WORDS), reads: new Uint32Array(PAGE_WORDS) };
    this.pages[index] = page;
    this.#pageCount++;
    return page;
  }

  /** The epochs in a cell. */
  epochs(cell: number): readonly EpochId[] {
    if (cell === 0) return [];
    return cell < LIST ? [cell] : (this.#lists[cell - LIST] ?? []);
  }

  /** A cell that holds `epochs` in place of what `before` held. */
  cell(before: number, epochs: EpochId[]): number {
    const [first = 0] = epochs;
    if (epochs.length <= 1) {
      if (before >= LIST) this.#release(before - LIST);
      return first;
    }
    if (before >= LIST) {
      this.#lists[before - LIST] = epochs;
      return before;
    }
    const index = this.#free.pop() ?? this.#lists.length;
    this.#lists[index] = epochs;
    return LIST + index;
  }

  /** Adds an epoch to a cell that is a list. */
  push(cell: number, id: EpochId): number {
    this.#lists[cell - LIST]?.push(id);
    return cell;
  }

  /** Forgets what was done to the words that lie in `[low, high)`: nobody has written them. */
  clear(low: number, high: number): void {
    for (let word = low >>> 2; word < (high + 3) >>> 2; word++) {
      const page = this.pages[Math.floor(word / PAGE_WORDS)];
      if (page === undefined) continue;
      const k = word % PAGE_WORDS;
      for (const cells of [page.writes, page.reads]) {
        const cell = cells[k] ?? 0;
        if (cell >= LIST) this.#release(cell - LIST);
        cells[k] = 0;
      }
    }
  }

  #release(index: number): void {
    this.#lists[index] = undefined;
    this.#free.push(index);
  }
}
