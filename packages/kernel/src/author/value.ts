import type { MemoryOrder, MemoryScope } from '@nccl-ts/core';

/** A type in a kernel: it casts when called, and is passed where a type is asked for. */
export interface TypeFn {
  /** A cast. Of a vector type also: one value for all elements, or one for each. */
  (...values: (number | boolean)[]): number;
  readonly kind: 'type';
}

/**
 * A pointer. `p[i]` and `p.load(i)` are plain (weak) accesses; with an order the access is atomic, at system scope unless
 * a scope is given. An access outside of the memory the pointer was made for is reported by the simulator and undefined
 * on GPUs.
 *
 * A vector is accessed plainly or relaxed. A relaxed access of a vector is one atomic access for each element, in no
 * order, as in PTX: a reader may see some elements of a store before the others.
 */
export interface Ptr {
  [index: number]: number;
  load(index: number, order?: MemoryOrder, scope?: MemoryScope): number;
  store(index: number, value: number | boolean, order?: MemoryOrder, scope?: MemoryScope): void;
  /** `n` elements further. */
  offset(n: number): Ptr;
  /** The same address with other elements. */
  cast(type: TypeFn): Ptr;
  /** Which memory it leads into; known when the kernel is compiled. Addresses compare within one space. */
  readonly space: 'global' | 'shared' | 'local';
  /** By how many bytes the address is past a multiple of `bytes`, a constant power of two: 0 where it is aligned. */
  misalignment(bytes: number): number;
  /** Read-modify-writes give the value before; the default order is `'seq_cst'`, the default scope `'system'`. */
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

/** What any group of threads offers; an object of the author's with these three serves as well, as in NCCL. */
export interface CoopLike {
  /** The calling thread's place in the group, from 0. */
  threadRank(): number;
  size(): number;
  /** All threads of the group meet. */
  sync(): void;
}

/** A group of threads of one CTA. All its threads must reach each call. */
export interface Coop extends CoopLike {
  /**
   * The value that member `root` (0 by default) passes. `entrySync`, a constant, may be false where the group has met since
   * its last `bcast`: no backend needs to be told, and all take it.
   *
   * @see ncclCoopBcast
   */
  bcast(value: number, root?: number, entrySync?: boolean): number;
  any(condition: boolean | number): boolean;
  all(condition: boolean | number): boolean;
  /**
   * All threads of the group call. Each looks at some of the `i < n`, and returns once `condition(i)` has held for each of these, each one latched;
   * what it saw is ordered before what it does. Whether it waits for what others look at is not promised: `sync()` afterwards for all
   * to have seen all. Loads and a pure condition only.
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
