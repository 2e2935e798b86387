import type { MemoryOrder, MemoryScope } from '@nccl-ts/core';

/** A type in a kernel: a call casts, and functions that expect a type take it as an argument. */
export interface TypeFn {
  /** Casts. A vector type takes one value for all elements, or one for each. */
  (...values: (number | boolean)[]): number;
  readonly kind: 'type';
}

/**
 * A pointer. `p[i]` and `p.load(i)` are plain (weak) accesses. With an order the access is atomic,
 * at system scope unless you pass a scope. An access outside the memory that the pointer was
 * made for is reported by the simulator, and undefined on GPUs.
 *
 * A vector is accessed plainly or relaxed. A relaxed access of a vector is one atomic access for
 * each element, in no order, as in PTX. A reader may see some elements of a store before the
 * others.
 */
export interface Ptr {
  [index: number]: number;
  load(index: number, order?: MemoryOrder, scope?: MemoryScope): number;
  store(index: number, value: number | boolean, order?: MemoryOrder, scope?: MemoryScope): void;
  /** `n` elements further. */
  offset(n: number): Ptr;
  /** The same address with another element type. */
  cast(type: TypeFn): Ptr;
  /**
   * The memory that the pointer leads into; known when the kernel is compiled. Addresses compare
   * within one space.
   */
  readonly space: 'global' | 'shared' | 'local';
  /**
   * The number of bytes by which the address is past a multiple of `bytes`, a constant power of
   * two. Aligned addresses return 0.
   */
  misalignment(bytes: number): number;
  /**
   * Read-modify-writes return the previous value; the default order is `'seq_cst'`, the default
   * scope `'system'`.
   */
  atomicAdd(index: number, value: number, order?: MemoryOrder, scope?: MemoryScope): number;
  atomicSub(index: number, value: number, order?: MemoryOrder, scope?: MemoryScope): number;
  atomicMin(index: number, value: number, order?: MemoryOrder, scope?: MemoryScope): number;
  atomicMax(index: number, value: number, order?: MemoryOrder, scope?: MemoryScope): number;
  atomicAnd(index: number, value: number, order?: MemoryOrder, scope?: MemoryScope): number;
  atomicOr(index: number, value: number, order?: MemoryOrder, scope?: MemoryScope): number;
  atomicXor(index: number, value: number, order?: MemoryOrder, scope?: MemoryScope): number;
  atomicExch(index: number, value: number, order?: MemoryOrder, scope?: MemoryScope): number;
  /** Stores `desired` where the value is `expected`. */
  atomicCas(index: number, expected: number, desired: number, order?: MemoryOrder, scope?: MemoryScope): number;
}

/**
 * The operations of every group of threads. An object of your own with these three methods works
 * too, as in NCCL.
 */
export interface CoopLike {
  /** The rank of the calling thread in the group, from 0. */
  threadRank(): number;
  size(): number;
  /** All threads of the group meet. */
  sync(): void;
}

/** A group of threads of one CTA. All its threads must reach each call. */
export interface Coop extends CoopLike {
  /**
   * Returns the value that member `root` (0 by default) passes. `entrySync`, a constant, may be
   * false if the group has synchronized since its last `bcast`. It is a hint, and no backend needs
   * it.
   *
   * @see ncclCoopBcast
   */
  bcast(value: number, root?: number, entrySync?: boolean): number;
  any(condition: boolean | number): boolean;
  all(condition: boolean | number): boolean;
  /**
   * All threads of the group must call it. Each thread checks some of the `i < n`, and returns once
   * `condition(i)` has held for each of these. A condition that has held is not evaluated again.
   * The thread's loads are ordered before its later accesses. It may return before the conditions
   * of other threads hold: call `sync()` afterwards if all threads need all of them. The condition
   * may only load and compute.
   */
  waitAll(n: number, condition: (i: number) => boolean): void;
}

export interface Index3 {
  readonly x: number;
  readonly y: number;
  readonly z: number;
}

/** A device address as the host passes it. */
export interface DevicePointerArg {
  readonly kind: 'devicePointer';
  readonly address: number;
}
