import { isNcclError } from '@nccl-ts/core';
import type { AcquiredDevice } from '../gpu/acquired-device.ts';
import { outOfMemory } from '../errors.ts';
import { PAGE_BYTES, type GpuStore } from './address-map.ts';
import { FreeList } from '@nccl-ts/transport';
import { HeapCopy } from './heap-copy.ts';

export interface HeapInit {
  /** The name in messages, such as `the heap`. */
  readonly name: string;
  /** Address of the buffer's first byte. */
  readonly base: number;
  /** Bytes at the beginning that are never allocated. */
  readonly reserved: number;
  /** The largest size of the buffer in bytes, including the reserved ones. */
  readonly limit: number;
}

const FIRST_BYTES = 1 << 16;

/** Growing by less than this is not worthwhile. */
const LEAST_SPARE = 1 << 16;

/** A device's part of a heap. */
export interface CopyOnDevice {
  readonly device: AcquiredDevice;
  readonly own: HeapCopy;
  /** The content on which all devices have agreed; absent if they need not agree. */
  readonly agreed: HeapCopy | undefined;
}

/**
 * The memory of all ranks in one GPUBuffer, which a larger one replaces as more is used. If the
 * ranks are on several devices, each device has copies of it, with the same size and addresses.
 */
export class Heap implements GpuStore {
  readonly base: number;
  readonly ofCaller: false = false;
  /** The largest size of the buffer in bytes. */
  readonly limit: number;
  /** One copy for each of its devices, in order. */
  readonly copies: readonly CopyOnDevice[];
  readonly #first: HeapCopy;
  /** All of them, those of the first device first. */
  readonly #all: readonly HeapCopy[];
  readonly #name: string;
  readonly #reserved: number;
  readonly #free: FreeList;
  #generation = 0;
  /** invariant: bytes from here on, counted from `base`, have never been used, so they are zero. */
  #used: number;
  /** The last of the replacements, which run one after the other. */
  #growing: Promise<void> = Promise.resolve();

  /**
   * @param others devices that have copies in addition to `device`
   * @param agree true if the changes of one device are sent to the others.
   * @throws NcclError `NCCLTS_OUT_OF_MEMORY`
   */
  static async create(
    device: AcquiredDevice,
    init: HeapInit,
    others: readonly AcquiredDevice[] = [],
    agree = false,
  ): Promise<Heap> {
    const limits = [device, ...others].flatMap((of) => [
      of.limits.maxBufferSize,
      of.limits.maxStorageBufferBindingSize,
    ]);
    const most = Math.min(init.limit, ...limits);
    const limit = Math.max(init.reserved, Math.floor(most / PAGE_BYTES) * PAGE_BYTES);
    const size = Math.max(PAGE_BYTES, Math.min(FIRST_BYTES, limit));
    const create = async (on: AcquiredDevice): Promise<CopyOnDevice> => {
      const one = async (): Promise<HeapCopy> => HeapCopy.create(on, init.name, init.base, size);
      return { device: on, own: await one(), agreed: agree ? await one() : undefined };
    };
    const first = await create(device);
    return new Heap(init, limit, first, await Promise.all(others.map(create)));
  }

  private constructor(init: HeapInit, limit: number, first: CopyOnDevice, others: readonly CopyOnDevice[]) {
    this.base = init.base;
    this.limit = limit;
    this.copies = Object.freeze([first, ...others]);
    this.#first = first.own;
    this.#all = this.copies.flatMap(({ own, agreed }) => (agreed === undefined ? [own] : [own, agreed]));
    this.#name = init.name;
    this.#reserved = init.reserved;
    this.#free = new FreeList(init.base + init.reserved, init.base + limit, PAGE_BYTES);
    this.#used = init.reserved;
  }

  /**
   * Returns the current buffer of the first copy. `allocate` may replace it, so callers must not
   * keep it, or a bind group of it, over an `await`.
   */
  get buffer(): GPUBuffer {
    return this.#first.buffer;
  }

  /** The number of replacements of the buffers. */
  get generation(): number {
    return this.#generation;
  }

  /**
   * Returns the address of `bytes` zero bytes, a multiple of 4096. They are zero for work that is
   * submitted afterwards.
   *
   * @throws NcclError `NCCLTS_OUT_OF_MEMORY`
   */
  async allocate(bytes: number, purpose: string): Promise<number> {
    this.#check(purpose);
    const address = this.#free.take(bytes);
    if (address === undefined) throw this.#full(bytes, purpose);
    const begin = address - this.base;
    const end = begin + Math.ceil(bytes / PAGE_BYTES) * PAGE_BYTES;
    try {
      await this.#reach(end, bytes, purpose);
    } catch (error) {
      this.#free.give(address, bytes);
      throw error;
    }
    if (begin < this.#used) for (const copy of this.#all) copy.clear(begin, Math.min(end, this.#used));
    this.#used = Math.max(this.#used, end);
    return address;
  }

  /** Frees memory that `allocate(bytes)` returned. */
  release(address: number, bytes: number): void {
    this.#free.give(address, bytes);
  }

  /** Releases the memory. Nothing may be allocated afterwards. */
  dispose(): void {
    for (const copy of this.#all) copy.dispose();
  }

  #check(purpose: string): void {
    for (const { device } of this.copies) device.check(purpose);
  }

  async #reach(end: number, bytes: number, purpose: string): Promise<void> {
    if (end <= this.buffer.size) return;
    const grown = this.#growing.then(async () => this.#grow(end, bytes, purpose));
    // A failed replacement does not prevent later attempts.
    this.#growing = grown.catch(() => undefined);
    await grown;
  }

  async #grow(end: number, bytes: number, purpose: string): Promise<void> {
    if (end <= this.buffer.size) return;
    const doubled = Math.min(this.limit, Math.max(this.buffer.size * 2, end));
    let fresh: readonly GPUBuffer[] | undefined;
    for (const size of sizes(end, doubled)) {
      try {
        fresh = await this.#createAll(size);
        break;
      } catch (error) {
        if (size === end || !isNcclError(error, 'NCCLTS_OUT_OF_MEMORY')) throw this.#failed(error, bytes, purpose);
      }
    }
    if (fresh === undefined) return;
    try {
      this.#check(purpose);
    } catch (error) {
      for (const buffer of fresh) buffer.destroy();
      throw error;
    }
    fresh.forEach((buffer, i) => this.#all[i]?.replace(buffer));
    this.#generation++;
  }

  /** Creates a larger buffer for each copy, or none at all. */
  async #createAll(size: number): Promise<readonly GPUBuffer[]> {
    const outcomes = await Promise.allSettled(this.#all.map(async (copy) => copy.createLarger(size)));
    const made = outcomes.flatMap((outcome) => (outcome.status === 'fulfilled' ? [outcome.value] : []));
    const failed = outcomes.find((outcome) => outcome.status === 'rejected');
    if (failed === undefined) return made;
    for (const buffer of made) buffer.destroy();
    throw failed.reason;
  }

  #full(bytes: number, purpose: string): Error {
    const all = this.limit - this.#reserved;
    return outOfMemory(
      purpose,
      bytes,
      all,
      `the largest free piece has ${this.#free.largest} of the ${all} bytes that all ranks share in ${this.#name}`,
    );
  }

  #failed(error: unknown, bytes: number, purpose: string): unknown {
    if (!isNcclError(error, 'NCCLTS_OUT_OF_MEMORY')) return error;
    const all = this.limit - this.#reserved;
    const why = `and the GPU has no room for ${this.#name} with them (${this.buffer.size} bytes so far)`;
    return outOfMemory(purpose, bytes, all, why, error);
  }
}

/**
 * Yields the sizes to try, in case the largest one does not fit on the GPU: less and less spare
 * memory, and none at the end. Without the intermediate sizes, each small allocation in an almost
 * full memory would copy all of it.
 */
function* sizes(least: number, most: number): Generator<number> {
  let spare = most - least;
  while (spare > 0) {
    yield least + spare;
    spare = spare < 4 * LEAST_SPARE ? 0 : Math.floor(spare / 4 / PAGE_BYTES) * PAGE_BYTES;
  }
  yield least;
}
