import type { MemoryOrder, MemoryScope } from '@nccl-ts/core';

/** A type inside a kernel. Call it to cast a value, or pass it to functions that take a type. */
export interface TypeFn {
  /** Casts a value. A vector type takes one value for all elements, or one for each element. */
  (...values: (number | boolean)[]): number;
  readonly kind: 'type';
}

/**
 * A pointer. `p[i]` and `p.load(i)` are plain (weak) accesses. With an order the access is atomic,
 * at system scope unless you pass a scope. The simulator reports an access outside the memory that
 * the pointer was made for. On GPUs such an access is undefined.
 *
 * Accesses of vectors are plain or relaxed. As in PTX, a relaxed access of a vector is one atomic
 * access for each element, in no particular order. A reader may see some elements of a store before
 * the others.
 */
export interface Ptr {
  [index: number]: number;
  /**
   * Reads element `index`, counted in elements of the pointer's type. Without an order the access
   * is plain, so it must not race. With one it is atomic, at scope `'system'` unless you pass
   * another.
   *
   * ```ts
   * while (flag.load(0, 'acquire') < epoch);
   * ```
   *
   * @see cuda::atomic_ref::load
   */
  load(index: number, order?: MemoryOrder, scope?: MemoryScope): number;
  /**
   * Writes element `index`, counted in elements of the pointer's type. Without an order the access
   * is plain, so it must not race. With one it is atomic, at scope `'system'` unless you pass
   * another.
   *
   * ```ts
   * flag.store(0, epoch, 'release');
   * ```
   *
   * @see cuda::atomic_ref::store
   */
  store(index: number, value: number | boolean, order?: MemoryOrder, scope?: MemoryScope): void;
  /** Returns the pointer moved by `n` elements. */
  offset(n: number): Ptr;
  /** The same address with another element type. */
  cast(type: TypeFn): Ptr;
  /**
   * The memory that the pointer points into, a compile-time constant. Kernels can compare addresses
   * of the same space only.
   */
  readonly space: 'global' | 'shared' | 'local';
  /**
   * Returns the address modulo `bytes`, a constant power of two. The result is 0 if the address is
   * aligned.
   */
  misalignment(bytes: number): number;
  /**
   * The atomic methods return the previous value. The default order is `'seq_cst'`, and the default
   * scope is `'system'`.
   */
  atomicAdd(index: number, value: number, order?: MemoryOrder, scope?: MemoryScope): number;
  atomicSub(index: number, value: number, order?: MemoryOrder, scope?: MemoryScope): number;
  atomicMin(index: number, value: number, order?: MemoryOrder, scope?: MemoryScope): number;
  atomicMax(index: number, value: number, order?: MemoryOrder, scope?: MemoryScope): number;
  atomicAnd(index: number, value: number, order?: MemoryOrder, scope?: MemoryScope): number;
  atomicOr(index: number, value: number, order?: MemoryOrder, scope?: MemoryScope): number;
  atomicXor(index: number, value: number, order?: MemoryOrder, scope?: MemoryScope): number;
  atomicExch(index: number, value: number, order?: MemoryOrder, scope?: MemoryScope): number;
  /** Stores `desired` if the current value equals `expected`. */
  atomicCas(index: number, expected: number, desired: number, order?: MemoryOrder, scope?: MemoryScope): number;
}

/**
 * The operations of every group of threads. You can also pass an object of your own with these
 * three methods, as in NCCL.
 */
export interface CoopLike {
  /** The rank of the calling thread in the group, from 0. */
  threadRank(): number;
  size(): number;
  /** Waits until all threads of the group have reached this call. */
  sync(): void;
}

/** A group of threads of one CTA. All its threads must reach each call. */
export interface Coop extends CoopLike {
  /**
   * Returns the value that member `root` (0 by default) passes. The constant `entrySync` may be
   * false if the group has synchronized since its last `bcast`. Backends may ignore this hint.
   *
   * @see ncclCoopBcast
   */
  bcast(value: number, root?: number, entrySync?: boolean): number;
  any(condition: boolean | number): boolean;
  all(condition: boolean | number): boolean;
  /**
   * All threads of the group must call it. Each thread checks some of the indices `i < n`, and
   * returns once `condition(i)` has been true for each of them. A condition that has been true is
   * not evaluated again. The thread's loads are ordered before its later accesses. A thread may
   * return before the conditions of other threads are true. If all threads need all of them, call
   * `sync()` afterwards. The condition may only load and compute.
   */
  waitAll(n: number, condition: (i: number) => boolean): void;
}

export interface Index3 {
  readonly x: number;
  readonly y: number;
  readonly z: number;
}

/** A device address, as the host passes it to a launch. */
export interface DevicePointerArg {
  readonly kind: 'devicePointer';
  readonly address: number;
}
