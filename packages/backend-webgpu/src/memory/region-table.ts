const FIRST_CAPACITY = 64;

/**
 * The bounds of every region: an access through a pointer of region r is inside when `low[r] <=
 * address` and `address + bytes <= high[r]`. Region 0 is empty for good, so that whatever is
 * reached through it faults.
 *
 * A region that is cleared becomes empty and keeps its number until `recycle`: pointers into it may
 * still be in use, and must fault rather than lead into what comes next.
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
      const address = addresses[i] ?? 0;
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

  /**
   * Allows cleared numbers to be used again. To be called only when no kernel can hold a pointer.
   */
  recycle(): void {
    for (const { first, count } of this.#cleared.splice(0)) {
      const runs = this.#recycled.get(count);
      if (runs === undefined) this.#recycled.set(count, [first]);
      else runs.push(first);
    }
  }

  /** How many numbers are in use or were, region 0 among them. */
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
