import { i32At } from './typed-items.ts';

/** The number of word addresses in a page of the table, which covers 4 KiB. */
const PAGE = 1024;

/**
 * Maps addresses to numbers from 0. Addresses that are a multiple of 4 are in pages of arrays,
 * because kernels with flags use millions of neighbouring ones. A map holds the few others.
 */
export class AddressTable {
  /** Each number plus 1; 0 if the address has none. */
  readonly #pages: (Int32Array | undefined)[] = [];
  readonly #others = new Map<number, number>();

  get(address: number): number | undefined {
    if (address % 4 !== 0) return this.#others.get(address);
    const found = this.#pages[Math.floor(address / (4 * PAGE))]?.[(address / 4) % PAGE];
    return found === undefined || found === 0 ? undefined : found - 1;
  }

  set(address: number, value: number): void {
    if (address % 4 !== 0) {
      this.#others.set(address, value);
      return;
    }
    const number = Math.floor(address / (4 * PAGE));
    while (this.#pages.length <= number) this.#pages.push(undefined);
    const page = (this.#pages[number] ??= new Int32Array(PAGE));
    page[(address / 4) % PAGE] = value + 1;
  }

  /** Removes the addresses in `[low, high)`, and returns their numbers. */
  take(low: number, high: number): readonly number[] {
    const taken: number[] = [];
    for (const [address, value] of this.#others) {
      if (address < low || address >= high) continue;
      taken.push(value);
      this.#others.delete(address);
    }
    for (let word = Math.ceil(low / 4); word < high / 4; word++) {
      const page = this.#pages[Math.floor(word / PAGE)];
      if (page === undefined) {
        // Up to the end of the page.
        word += PAGE - 1 - (word % PAGE);
        continue;
      }
      const found = i32At(page, word % PAGE);
      if (found === 0) continue;
      taken.push(found - 1);
      page[word % PAGE] = 0;
    }
    return taken;
  }
}
