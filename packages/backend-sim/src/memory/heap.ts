import { NcclError } from '@nccl-ts/core';
import {
  type HeapViews,
  type LinearMemory,
  viewsOf,
  createMemory,
  hasWebAssembly,
  PAGE_BYTES,
  type WebAssemblyMemory,
} from '@nccl-ts/codegen';
import { FreeList } from '@nccl-ts/transport';
import { PlainMemory } from './plain-memory.ts';

/**
 * One page less than 4 GiB: the most that a WebAssembly memory with 32-bit addresses can hold while
 * its size still fits into 32 bits.
 */
export const MAX_HEAP_BYTES: number = 65535 * PAGE_BYTES;

/**
 * The size of a line that a warp may store at once. A check finds these lines by heap addresses, so
 * heap addresses and device addresses have the same offsets in them.
 */
const ALIGN = 128;

/**
 * The gap after every allocation. Ranks allocate alike, and copies at distances that are powers of
 * two would share cache sets. That would make a loop over peers much slower.
 */
const PADDING = 1280;

/** Below this size, the memory doubles when it grows. */
const SMALL = 16 * PAGE_BYTES;

/** The first bytes are never allocated, so that no address is 0. */
const RESERVED = 4096;

/**
 * The memory of all ranks: one range of bytes that grows in place. Addresses are offsets into it.
 */
export class Heap {
  readonly #limit: number;
  readonly #reserved: number;
  readonly #free: FreeList;
  readonly #shared: boolean;
  /** True if it must be a WebAssembly memory. */
  readonly #isLinear: boolean;
  #memory: WebAssemblyMemory | undefined;
  #views: HeapViews = viewsOf(new ArrayBuffer(0));
  /** invariant: bytes at and above it have never been used, so they are zero. */
  #used: number;

  /**
   * `limit` is the largest number of bytes of allocations, including the gaps. `frame` is the
   * number of bytes that precede all allocations, for WebAssembly code. `shared` is true if other
   * host threads use the memory. With neither `frame` nor `shared`, the memory is a JavaScript one
   * if there is no WebAssembly.
   */
  constructor(limit: number, frame = 0, shared = false) {
    this.#shared = shared;
    this.#isLinear = shared || frame > 0;
    this.#reserved = RESERVED + Math.ceil(frame / ALIGN) * ALIGN;
    this.#used = this.#reserved;
    this.#limit = Math.floor(Math.min(limit, MAX_HEAP_BYTES - this.#reserved) / ALIGN) * ALIGN;
    this.#free = new FreeList(this.#reserved, this.#reserved + this.#limit, ALIGN);
  }

  /**
   * Returns the current memory. Growing replaces the object, so callers must not keep it over an
   * allocation.
   */
  get views(): HeapViews {
    return this.#views;
  }

  /** Returns the memory itself, and the start of the bytes that are reserved for generated code. */
  get linear(): LinearMemory {
    this.#grow(this.#reserved);
    if (this.#memory === undefined) throw new NcclError('NCCL_INTERNAL_ERROR', 'The heap has no memory.');
    return { memory: this.#memory, frame: RESERVED };
  }

  /**
   * Returns the address of `bytes` zero bytes.
   *
   * @throws NcclError `NCCLTS_OUT_OF_MEMORY` if there is no room.
   */
  allocate(bytes: number, purpose: string): number {
    const address = this.#free.take(bytes + PADDING);
    if (address === undefined) throw this.#outOfMemory(bytes, purpose);
    const end = address + bytes;
    try {
      this.#grow(end);
    } catch (cause) {
      this.#free.give(address, bytes + PADDING);
      throw this.#hostLacks(bytes, purpose, cause);
    }
    if (address < this.#used) this.#views.u8.fill(0, address, Math.min(end, this.#used));
    this.#used = Math.max(this.#used, end);
    return address;
  }

  /** Frees memory that `allocate(bytes)` returned. */
  release(address: number, bytes: number): void {
    this.#free.give(address, bytes + PADDING);
  }

  /** Releases everything. Nothing may be allocated afterwards. */
  dispose(): void {
    this.#memory = undefined;
    this.#views = viewsOf(new ArrayBuffer(0));
  }

  #grow(end: number): void {
    const have = this.#views.u8.length;
    if (end <= have) return;
    const most = Math.ceil((this.#reserved + this.#limit) / PAGE_BYTES);
    const needed = Math.ceil(end / PAGE_BYTES);
    // Allocates more than is needed, so that many small allocations do not make many views. The
    // first allocation is exact, because the engine counts each page. Exploring all schedules opens
    // thousands of worlds, and the engine would otherwise collect garbage all the time.
    const some = have < SMALL ? have * 2 : have * 1.25;
    const pages = Math.min(most, Math.max(needed, Math.ceil(some / PAGE_BYTES)));
    if (this.#memory === undefined) this.#memory = this.#create(pages, most);
    else this.#memory.grow(pages - have / PAGE_BYTES);
    this.#views = viewsOf(this.#memory.buffer);
  }

  #create(pages: number, most: number): WebAssemblyMemory {
    if (this.#isLinear) return createMemory(pages, most, this.#shared);
    if (!hasWebAssembly()) return new PlainMemory(pages);
    try {
      return createMemory(pages, most);
    } catch {
      return new PlainMemory(pages);
    }
  }

  #outOfMemory(bytes: number, purpose: string): NcclError {
    return new NcclError(
      'NCCLTS_OUT_OF_MEMORY',
      `no room for ${purpose}: ${bytes} bytes were requested, but the largest free piece has ` +
        `${Math.max(0, this.#free.largest - PADDING)} of the ${this.#limit} bytes that all ranks share`,
    );
  }

  /** Returns memory of the host, which does not belong to a rank. */
  #hostLacks(bytes: number, purpose: string, cause: unknown): NcclError {
    const have = this.#views.u8.length;
    const hint =
      this.#isLinear && have === 0
        ? "WebAssembly reserves about 10 GiB of address space: raise the limit of the process (ulimit -v), or use engine: 'js'"
        : 'the host refuses to give more: free windows, or raise the limits of the process (ulimit -v, the container)';
    return new NcclError(
      'NCCLTS_OUT_OF_MEMORY',
      `no room for ${purpose}: ${bytes} bytes requested, and the simulator already has ${have} bytes from the host; ${hint}`,
      { cause },
    );
  }
}
