import { isNcclError } from '@nccl-ts/core';
import type { AcquiredDevice } from '../gpu/acquired-device.ts';
import { BufferUsage } from '../gpu/gpu-flags.ts';
import { outOfMemory } from '../errors.ts';
import { PAGE_BYTES, type GpuStore } from './address-map.ts';
import { FreeList } from './free-list.ts';

export interface HeapInit {
  /** For people: `the heap`. */
  readonly name: string;
  /** Address of the buffer's first byte. */
  readonly base: number;
  /** Bytes at the beginning that are never given out. */
  readonly reserved: number;
  /** The most bytes that the buffer may come to have, the reserved ones included. */
  readonly limit: number;
}

const FIRST_BYTES = 1 << 16;

/** Growing by less than this at a time is no use. */
const LEAST_SPARE = 1 << 16;

/** Memory of all ranks in one GPUBuffer, which is replaced by a larger one as more is used. */
export class Heap implements GpuStore {
  readonly base: number;
  readonly ofCaller: false = false;
  /** The most bytes that the buffer may come to have. */
  readonly limit: number;
  readonly #device: AcquiredDevice;
  readonly #name: string;
  readonly #reserved: number;
  readonly #free: FreeList;
  #buffer: GPUBuffer;
  #generation = 0;
  /** invariant: bytes from here on, counted from `base`, have never been used, so they are zero. */
  #used: number;
  /** The last of the replacements, which happen one after the other. */
  #growing: Promise<void> = Promise.resolve();

  /** @throws NcclError `NCCLTS_OUT_OF_MEMORY` */
  static async create(device: AcquiredDevice, init: HeapInit): Promise<Heap> {
    const { maxBufferSize, maxStorageBufferBindingSize } = device.limits;
    const most = Math.min(init.limit, maxBufferSize, maxStorageBufferBindingSize);
    const limit = Math.max(init.reserved, Math.floor(most / PAGE_BYTES) * PAGE_BYTES);
    const size = Math.max(PAGE_BYTES, Math.min(FIRST_BYTES, limit));
    return new Heap(device, init, limit, await createStorage(device, init.name, size));
  }

  private constructor(device: AcquiredDevice, init: HeapInit, limit: number, buffer: GPUBuffer) {
    this.base = init.base;
    this.limit = limit;
    this.#device = device;
    this.#name = init.name;
    this.#reserved = init.reserved;
    this.#free = new FreeList(init.base + init.reserved, init.base + limit, PAGE_BYTES);
    this.#buffer = buffer;
    this.#used = init.reserved;
  }

  /** The buffer as it is now. `allocate` may replace it, so nobody keeps it, nor a bind group of it, over an `await`. */
  get buffer(): GPUBuffer {
    return this.#buffer;
  }

  /** How often `buffer` was replaced. */
  get generation(): number {
    return this.#generation;
  }

  /**
   * The address of `bytes` zero bytes, a multiple of 4096. Work that is submitted afterwards finds them zero.
   *
   * @throws NcclError `NCCLTS_OUT_OF_MEMORY`
   */
  async allocate(bytes: number, purpose: string): Promise<number> {
    this.#device.check(purpose);
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
    if (begin < this.#used) this.#clear(begin, Math.min(end, this.#used));
    this.#used = Math.max(this.#used, end);
    return address;
  }

  /** Gives back what `allocate(bytes)` returned. */
  release(address: number, bytes: number): void {
    this.#free.give(address, bytes);
  }

  /** Lets go of the memory. Nothing may be allocated afterwards. */
  dispose(): void {
    this.#buffer.destroy();
  }

  async #reach(end: number, bytes: number, purpose: string): Promise<void> {
    if (end <= this.#buffer.size) return;
    const grown = this.#growing.then(async () => this.#grow(end, bytes, purpose));
    // A replacement that failed does not keep later ones from trying.
    this.#growing = grown.catch(() => undefined);
    await grown;
  }

  async #grow(end: number, bytes: number, purpose: string): Promise<void> {
    if (end <= this.#buffer.size) return;
    const doubled = Math.min(this.limit, Math.max(this.#buffer.size * 2, end));
    let fresh: GPUBuffer | undefined;
    for (const size of sizes(end, doubled)) {
      try {
        fresh = await createStorage(this.#device, this.#name, size);
        break;
      } catch (error) {
        if (size === end || !isNcclError(error, 'NCCLTS_OUT_OF_MEMORY')) throw this.#failed(error, bytes, purpose);
      }
    }
    if (fresh === undefined) return;
    try {
      this.#device.check(purpose);
      this.#replace(fresh);
    } catch (error) {
      fresh.destroy();
      throw error;
    }
  }

  /** In one go, without waiting: what is submitted before works on the old buffer, what comes after on the new one. */
  #replace(fresh: GPUBuffer): void {
    const old = this.#buffer;
    const { device } = this.#device;
    const encoder = device.createCommandEncoder();
    encoder.copyBufferToBuffer(old, 0, fresh, 0, old.size);
    device.queue.submit([encoder.finish()]);
    this.#buffer = fresh;
    this.#generation++;
    // WebGPU keeps it until the work that was submitted is done; what is submitted for it later fails, as it should.
    old.destroy();
  }

  #clear(begin: number, end: number): void {
    const { device } = this.#device;
    const encoder = device.createCommandEncoder();
    encoder.clearBuffer(this.#buffer, begin, end - begin);
    device.queue.submit([encoder.finish()]);
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
    const why = `and the GPU has no room for ${this.#name} with them (${this.#buffer.size} bytes so far)`;
    return outOfMemory(purpose, bytes, all, why, error);
  }
}

/**
 * What to try, where the GPU may have no room for the most: less and less to spare, and nothing in the end. Without the
 * steps between, each small allocation in an almost full memory would copy all of it.
 */
function* sizes(least: number, most: number): Generator<number> {
  let spare = most - least;
  while (spare > 0) {
    yield least + spare;
    spare = spare < 4 * LEAST_SPARE ? 0 : Math.floor(spare / 4 / PAGE_BYTES) * PAGE_BYTES;
  }
  yield least;
}

async function createStorage(device: AcquiredDevice, name: string, size: number): Promise<GPUBuffer> {
  const usage = BufferUsage.STORAGE | BufferUsage.COPY_SRC | BufferUsage.COPY_DST;
  return device.createBuffer({ label: `nccl-ts: ${name}`, size, usage }, name);
}
