import type { MemoryOrder, MemoryProxy, MemoryScope } from '@nccl-ts/core';
import type { Coop, CoopLike, Index3, Ptr, TypeFn } from './value.ts';

/**
 * Math on floats, in the operand's type. `floor`, `ceil`, `trunc` and `round` are exact, `sqrt` is
 * rounded once. The others are within 1 ULP in f16, bf16 and f32. In f64 they are within 3 ULP if
 * the engine's `Math` is that accurate, which ECMAScript does not require: with V8 all but `rsqrt`
 * (1.5) and `tanh` (2.1) are within 1. `pow` has C's special cases.
 */
export interface MathBuiltins {
  readonly sqrt: (x: number) => number;
  readonly rsqrt: (x: number) => number;
  readonly exp: (x: number) => number;
  readonly exp2: (x: number) => number;
  readonly log: (x: number) => number;
  readonly log2: (x: number) => number;
  readonly sin: (x: number) => number;
  readonly cos: (x: number) => number;
  readonly tanh: (x: number) => number;
  readonly pow: (x: number, y: number) => number;
  readonly floor: (x: number) => number;
  readonly ceil: (x: number) => number;
  readonly trunc: (x: number) => number;
  /** Rounds to the nearest integer, ties to even. */
  readonly round: (x: number) => number;
}

/** Fences between ways to reach memory. */
export interface FenceProxy {
  /** Between multicast addresses and the addresses of the memory itself. */
  (proxy: 'alias'): void;
  /**
   * The calling thread's fence between accesses through the proxy `producer` and later ones through
   * `consumer`. Both halves are needed: a thread releases after the first access, and a thread
   * acquires before the second. A fence with both orders acquires first, so it does not order two
   * accesses of one thread.
   *
   * - Scope `system`, the default: for global memory. It also is a `fence` of that order.
   * - Scope `block`: for shared memory that an operation of the fabric then uses. It is a proxy
   *   fence alone, and orders nothing between threads.
   *
   * NCCL's headers leave open whether one half is enough: the checker asks for both. They also
   * leave open whether generic accesses of two threads are ordered: the checker takes them to be.
   * With CUDA it needs NCCL 2.31.
   * @see ncclMemFence
   */
  (proxy: 'fabric', producer: MemoryProxy, consumer: MemoryProxy, order: MemoryOrder, scope?: 'block' | 'system'): void;
}

/**
 * The built-ins that every kernel and device function finds in its first parameter, beside the
 * names of `use`.
 */
export interface Builtins {
  readonly bool: TypeFn;
  readonly i8: TypeFn;
  readonly u8: TypeFn;
  readonly i16: TypeFn;
  readonly u16: TypeFn;
  readonly i32: TypeFn;
  readonly u32: TypeFn;
  readonly i64: TypeFn;
  readonly u64: TypeFn;
  readonly f16: TypeFn;
  readonly bf16: TypeFn;
  readonly f32: TypeFn;
  readonly f64: TypeFn;
  readonly e4m3: TypeFn;
  readonly e5m2: TypeFn;
  readonly addr: TypeFn;
  readonly vec: (element: TypeFn, width: number) => TypeFn;

  readonly threadIdx: Index3;
  readonly blockIdx: Index3;
  readonly blockDim: Index3;
  readonly gridDim: Index3;
  readonly warpSize: number;
  readonly laneId: number;

  /** @see ncclCoopThread */
  readonly coopThread: () => Coop;
  /** @see ncclCoopWarp */
  readonly coopWarp: () => Coop;
  /** `n` a power of two up to 32. @see ncclCoopTile */
  readonly coopTile: (n: number) => Coop;
  /** @see ncclCoopLanes */
  readonly coopLanes: (mask: number) => Coop;
  /**
   * `nWarps` warps from warp `warp0` on; `id` 0 to 15, unique among spans alive at once. @see
   * ncclCoopWarpSpan
   */
  readonly coopWarpSpan: (warp0: number, nWarps: number, id: number) => Coop;
  /** @see ncclCoopCta */
  readonly coopCta: () => Coop;
  /**
   * The lanes of the warp that reach this call together; always includes the calling lane. With a
   * group that reaches the call as a whole: the part of it in the calling warp, which is the whole
   * group if it fits in a warp.
   *
   * @see ncclCoopCoalesced
   */
  readonly coopCoalesced: (coop?: CoopLike) => Coop;
  /** Hides the kind of a group, for callees that take any kind. @see ncclCoopAny */
  readonly coopAny: (coop: CoopLike) => Coop;
  /**
   * The u32 mask of the lanes of the calling warp that are in the group. @see ncclCoopGetLaneMask
   */
  readonly coopGetLaneMask: (coop: Coop) => number;
  /**
   * True if the group is one thread by its kind: known when the kernel is compiled. @see
   * ncclCoopIsThread
   */
  readonly coopIsThread: (coop: Coop) => boolean;
  /**
   * True if the group is part of one warp by its kind: known when the kernel is compiled. @see
   * ncclCoopWithinWarp
   */
  readonly coopWithinWarp: (coop: Coop) => boolean;

  readonly fence: (order: MemoryOrder, scope?: MemoryScope) => void;
  readonly fenceProxy: FenceProxy;
  /**
   * Lets the next launch on the stream begin, if it was launched with
   * `programmaticStreamSerialization`, once all CTAs of this launch have called this function or
   * have ended. One thread of a CTA is enough. It orders nothing: the next launch sees this
   * launch's writes, early or late, only after `gridDependencySync`.
   * @see cudaTriggerProgrammaticLaunchCompletion
   */
  readonly launchDependents: () => void;
  /**
   * Blocks until the previous launch on the stream has ended. All its writes are then visible and
   * are ordered before the later accesses of the calling thread. Does nothing in a launch without
   * `programmaticStreamSerialization`, which begins no earlier than that. Launches that the
   * previous launch itself did not wait for may still be running.
   * @see cudaGridDependencySynchronize
   */
  readonly gridDependencySync: () => void;
  /**
   * Blocks until the condition holds. The condition may only load and compute, and may be evaluated
   * any number of times. After the wait, local arrays hold the values that the last evaluation
   * stored, the one in which the condition held. So a kernel can use a word as the wait saw it. A
   * second load could see a newer value, whatever its order.
   */
  readonly waitUntil: (condition: () => boolean) => void;

  /** The value of lane `lane` of the calling warp; all its threads must take part. */
  readonly shfl: (value: number, lane: number) => number;
  readonly shflUp: (value: number, delta: number) => number;
  readonly shflDown: (value: number, delta: number) => number;
  readonly shflXor: (value: number, mask: number) => number;
  /** The u32 mask of the lanes whose condition holds. */
  readonly ballot: (condition: boolean | number) => number;
  readonly any: (condition: boolean | number) => boolean;
  readonly all: (condition: boolean | number) => boolean;

  readonly math: MathBuiltins;
  readonly min: (a: number, b: number) => number;
  readonly max: (a: number, b: number) => number;
  readonly abs: (x: number) => number;
  /** `a * b + c`, rounded once. */
  readonly fma: (a: number, b: number, c: number) => number;
  readonly popcount: (x: number) => number;
  readonly clz: (x: number) => number;
  readonly ctz: (x: number) => number;
  /** Element `i` of a vector. */
  readonly lane: (vector: number, i: number) => number;
  /** The vector with element `i` replaced. */
  readonly withLane: (vector: number, i: number, value: number) => number;
  /** The same bytes as another type of the same size. */
  readonly bitcast: (type: TypeFn, value: number) => number;
  /** The type of a value; of a pointer: of its elements. Known when the kernel is compiled. */
  readonly typeOf: (value: number | Ptr) => TypeFn;
  /** The bytes that a value of the type takes in memory: a constant. */
  readonly sizeOf: (type: TypeFn) => number;

  /** `n` (a constant) elements that the CTA's threads share. Not initialised. */
  readonly sharedArray: (type: TypeFn, n: number) => Ptr;
  /** `n` (a constant) elements that belong to the calling thread. Not initialised. */
  readonly localArray: (type: TypeFn, n: number) => Ptr;
  /** `for (const i of unroll(n))`: the body once for each i < n, a constant. */
  readonly unroll: (n: number) => Iterable<number>;

  /** The cycle counter, u64. */
  readonly clock: () => number;
  /** Ends the launch with the text where the condition does not hold. */
  readonly assert: (condition: boolean | number, text: string) => void;
  /**
   * A precondition of a device function: if the condition does not hold, the simulator ends the
   * launch with the text, as misuse. GPUs do not test it, and neither does NCCL. Each `{}` in the
   * text is replaced by the next of `values`: `requires(i < n, 'block {}, but there are {}', i,
   * n)`.
   */
  readonly requires: (condition: boolean | number, text: string, ...values: (number | boolean)[]) => void;
  /** One line for each thread; strings and values. */
  readonly print: (...parts: (string | number | boolean)[]) => void;
}
