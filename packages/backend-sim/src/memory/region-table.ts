import { at } from '@nccl-ts/core';
import type { Multicast, Regions } from '@nccl-ts/codegen';

const FIRST_CAPACITY = 64;

/**
 * The bounds of every region. Region 0 is always empty, so every access through it faults.
 *
 * A cleared region becomes empty and keeps its number until `recycle`. Pointers into it may still
 * be in use, and must fault instead of pointing into other memory.
 */
export class RegionTable implements Regions {
  low: Float64Array;
  high: Float64Array;
  readonly multicast: (Multicast | undefined)[] = [];
  /**
   * Counts the changes that other host threads must learn: larger tables, and multicast addresses.
   */
  version = 0;
  readonly #shared: boolean;
  /** Earlier, smaller tables that other threads may still read. */
  readonly #former: Float64Array[] = [];
  #length = 1;
  readonly #cleared: { readonly first: number; readonly count: number }[] = [];
  readonly #recycled = new Map<number, number[]>();

  /** `shared` is true if other host threads read the bounds. */
  constructor(shared = false) {
    this.#shared = shared;
    this.low = this.#table(FIRST_CAPACITY);
    this.high = this.#table(FIRST_CAPACITY);
  }

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
    return first;
  }

  /** Adds a region without bytes for `multicast`. Returns its number. */
  addMulticast(multicast: Multicast): number {
    const region = this.add([0], 0);
    this.multicast[region] = multicast;
    this.version++;
    return region;
  }

  /** Empties regions that one call of `add` returned. */
  clear(first: number, count: number): void {
    for (const table of [this.low, this.high, ...this.#former]) table.fill(0, first, first + count);
    this.version++;
    for (let region = first; region < first + count; region++) this.multicast[region] = undefined;
    this.#cleared.push({ first, count });
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

  #extend(count: number): number {
    const first = this.#length;
    this.#length += count;
    if (this.#length > this.low.length) {
      const capacity = Math.max(this.low.length * 2, this.#length);
      if (this.#shared) this.#former.push(this.low, this.high);
      this.low = this.#grown(this.low, capacity);
      this.high = this.#grown(this.high, capacity);
      this.version++;
    }
    return first;
  }

  #table(length: number): Float64Array {
    return this.#shared ? new Float64Array(new SharedArrayBuffer(length * 8)) : new Float64Array(length);
  }

  #grown(array: Float64Array, capacity: number): Float64Array {
    const copy = this.#table(capacity);
    copy.set(array);
    return copy;
  }
}
