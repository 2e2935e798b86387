import type { EpochId } from './epochs.ts';
import { numberAt } from './number-at.ts';

/** The words of a page, which covers 16 KiB of memory. */
export const PAGE_WORDS = 4096;

/**
 * The last accesses to a page of memory. Each word has a cell of its writes and then one of its
 * reads, because most accesses need both. A cell is 0 or an epoch. With the highest bit set, it is
 * the number of a list of epochs. No access in a list is ordered before another, or they touch
 * different bytes of the word.
 */
export type Page = Uint32Array;

export const LIST = 0x8000_0000;

/** The shadow of one memory. It has two numbers for each four bytes of accessed memory. */
export class Shadow {
  /** Distinguishes the memories of a world. That of the heap is 0. */
  readonly number: number;
  readonly pages: (Page | undefined)[] = [];
  /**
   * By word: its first write. Only for shared arrays, whose words may hold anything before;
   * `undefined` for global memory.
   */
  readonly firstWrites: Map<number, EpochId> | undefined;
  readonly #lists: (EpochId[] | undefined)[] = [];
  readonly #free: number[] = [];
  #pageCount = 0;

  constructor(number = 0) {
    this.number = number;
    this.firstWrites = number === 0 ? undefined : new Map();
  }

  /** The bytes that the shadow itself takes, without its lists. */
  get bytes(): number {
    return this.#pageCount * PAGE_WORDS * 8;
  }

  /** Releases all its memory, about twice the memory that it shadows. */
  dispose(): void {
    this.pages.length = 0;
    this.firstWrites?.clear();
    this.#lists.length = 0;
    this.#free.length = 0;
    this.#pageCount = 0;
  }

  page(index: number): Page {
    const known = this.pages[index];
    if (known !== undefined) return known;
    const page = new Uint32Array(2 * PAGE_WORDS);
    this.pages[index] = page;
    this.#pageCount++;
    return page;
  }

  /** The epochs in a cell. */
  epochs(cell: number): readonly EpochId[] {
    if (cell === 0) return [];
    if (cell < LIST) return [cell];
    const list = this.#lists[cell - LIST];
    if (list === undefined) throw new RangeError(`Cell ${cell} has no list of epochs.`);
    return list;
  }

  /** The epochs that last wrote the word at a byte address. Empty if there was no write. */
  writesAt(address: number): readonly EpochId[] {
    return this.epochs(this.writeCell(address));
  }

  /** The cell of the writes of the word at a byte address, or 0 if there was no write. */
  writeCell(address: number): number {
    const word = address >>> 2;
    const page = this.pages[Math.floor(word / PAGE_WORDS)];
    return page === undefined ? 0 : numberAt(page, 2 * (word % PAGE_WORDS));
  }

  /** Returns a cell that holds `epochs` and replaces `before`. */
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

  /**
   * Calls `visit` for each epoch in each cell. If several cells contain an epoch, it is called
   * several times.
   */
  eachEpoch(visit: (id: EpochId) => void): void {
    for (const page of this.pages) {
      if (page === undefined) continue;
      for (const cell of page) if (cell !== 0 && cell < LIST) visit(cell);
    }
    for (const list of this.#lists) if (list !== undefined) list.forEach(visit);
  }

  /** Forgets the accesses to the words in `[low, high)`, which then count as unwritten. */
  clear(low: number, high: number): void {
    for (const { page, from, to } of stretches(low, high)) {
      const known = this.pages[page];
      if (known === undefined) continue;
      for (let k = 2 * from; k < 2 * to; k++) {
        const cell = numberAt(known, k);
        if (cell >= LIST) this.#release(cell - LIST);
      }
      known.fill(0, 2 * from, 2 * to);
    }
  }

  /** Records `id` for every unwritten word in `[low, high)`. */
  begin(low: number, high: number, id: EpochId): void {
    for (const { page, from, to } of stretches(low, high)) {
      const cells = this.page(page);
      for (let k = 2 * from; k < 2 * to; k += 2) if (cells[k] === 0) cells[k] = id;
    }
  }

  #release(index: number): void {
    this.#lists[index] = undefined;
    this.#free.push(index);
  }
}

interface Stretch {
  readonly page: number;
  /** The words of the page. */
  readonly from: number;
  readonly to: number;
}

/** The words that the bytes in `[low, high)` lie in, page by page. */
function stretches(low: number, high: number): readonly Stretch[] {
  const end = (high + 3) >>> 2;
  const found: Stretch[] = [];
  for (let word = low >>> 2; word < end;) {
    const page = Math.floor(word / PAGE_WORDS);
    const from = word - page * PAGE_WORDS;
    const to = Math.min(PAGE_WORDS, from + end - word);
    found.push({ page, from, to });
    word += to - from;
  }
  return found;
}

/** Splits the range into whole words, and single bytes before and after them. */
export function pieces(low: number, high: number, each: (address: number, bytes: number) => void): void {
  const first = Math.min(high, Math.ceil(low / 4) * 4);
  const last = Math.max(first, Math.floor(high / 4) * 4);
  for (let address = low; address < first; address++) each(address, 1);
  if (last > first) each(first, last - first);
  for (let address = last; address < high; address++) each(address, 1);
}
