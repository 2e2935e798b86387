import { at } from '@nccl-ts/core';

const FIRST_CAPACITY = 64;

/**
 * The bounds of every region: an access through a pointer of region r is inside when `low[r] <=
 * address` and `address + bytes <= high[r]`. Region 0 is always empty, so that every access through
 * it faults.
 *
 * A cleared region becomes empty and keeps its number until `recycle`: pointers into it may still
 * be in use, and must fault rather than point into other memory.
 */
export class RegionTable {
  low: Uint32Array<ArrayBuffer> = new Uint32Array(FIRST_CAPACITY);
  high: Uint32Array<ArrayBuffer> = new Uint32Array(FIRST_CAPACITY);
  #length = 1;
  #version = 0;
  readonly #cleared: { readonly first: number; readonly count: number }[] = [];
  readonly #recycled = new Map<number, number[]>();

  /** Adds one region per address, `bytes` long, under consecutive numbers; returns the first. */
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

  /** Empties regions that `add` returned together. */
  clear(first: number, count: number): void {
    this.low.fill(0, first, first + count);
    this.high.fill(0, first, first + count);
    this.#cleared.push({ first, count });
    this.#version++;
  }

  /** Allows cleared numbers to be reused. Call it only when no kernel can hold a pointer. */
  recycle(): void {
    for (const { first, count } of this.#cleared.splice(0)) {
      const runs = this.#recycled.get(count);
      if (runs === undefined) this.#recycled.set(count, [first]);
      else runs.push(first);
    }
  }

  /** The number of present and former numbers, including region 0. */
  get length(): number {
    return this.#length;
  }

  /** Grows whenever a bound changes: the GPU's copy is of one version. */
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
