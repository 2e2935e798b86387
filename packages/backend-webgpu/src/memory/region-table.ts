import { at } from '@nccl-ts/core';

const FIRST_CAPACITY = 64;

/**
 * The bounds of every region. An access through a pointer of region r is valid if
 * `low[r] <= address` and `address + bytes <= high[r]`. Region 0 is always empty, so every access
 * through it faults.
 *
 * A cleared region becomes empty and keeps its number until `recycle`. Pointers into it may still
 * be in use, and must fault instead of pointing into other memory.
 */
export class RegionTable {
  low: Uint32Array<ArrayBuffer> = new Uint32Array(FIRST_CAPACITY);
  high: Uint32Array<ArrayBuffer> = new Uint32Array(FIRST_CAPACITY);
  #length = 1;
  #version = 0;
  readonly #cleared: { readonly first: number; readonly count: number }[] = [];
  readonly #recycled = new Map<number, number[]>();

  /**
   * Adds one region of `bytes` bytes for each address, under consecutive numbers. Returns the
   * first.
   */
  add(addresses: ArrayLike<number>, bytes: number): number {
    const count = addresses.length;
    const first = this.#recycled.get(count)?.pop() ?? this.#extend(count);
    for (let i = 0; i < count; i++) {
      const address = at(addresses, i);
      this.low[first + i] = address;
      this.high[first + i] = address + bytes;
    }
    this.#version++;
    return first;
  }

  /** Empties regions that one call of `add` returned. */
  clear(first: number, count: number): void {
    this.low.fill(0, first, first + count);
    this.high.fill(0, first, first + count);
    this.#cleared.push({ first, count });
    this.#version++;
  }

  /**
   * Allows cleared numbers to be reused. It must be called only when no kernel can hold a pointer.
   */
  recycle(): void {
    for (const { first, count } of this.#cleared.splice(0)) {
      const runs = this.#recycled.get(count);
      if (runs === undefined) this.#recycled.set(count, [first]);
      else runs.push(first);
    }
  }

  /** Returns the number of current and former regions, including region 0. */
  get length(): number {
    return this.#length;
  }

  /** Returns a number that grows whenever a bound changes. The GPU's copy has one such version. */
  get version(): number {
    return this.#version;
  }

  #extend(count: number): number {
    const first = this.#length;
    this.#length += count;
    if (this.#length > this.low.length) {
      const capacity = Math.max(this.low.length * 2, this.#length);
      this.low = grown(this.low, capacity);
      this.high = grown(this.high, capacity);
    }
    return first;
  }
}

function grown(array: Uint32Array, capacity: number): Uint32Array<ArrayBuffer> {
  const copy = new Uint32Array(capacity);
  copy.set(array);
  return copy;
}
