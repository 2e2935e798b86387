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

/** Fences between proxies, which are different paths to memory. */
export interface FenceProxy {
  /** Orders accesses through multicast addresses and through the addresses of the memory itself. */
  (proxy: 'alias'): void;
  /**
   * Orders the calling thread's accesses through the proxy `producer` before its later ones through
   * `consumer`. To order accesses of two threads, the first thread releases after its access, and
   * the second acquires before its own. A fence with both orders acquires first, so it does not
   * order two accesses of one thread.
   *
   * - Scope `system`, the default, is for global memory. The call is then also a `fence` of that
   *   order.
   * - Scope `block` is for shared memory that an operation of the fabric then uses. The call is
   *   then only a proxy fence, and orders nothing between threads.
   *
   * NCCL's headers do not say whether the release or the acquire alone is enough. The checker
   * requires both. They also do not say whether the fence orders generic accesses of two threads.
   * The checker assumes that it does. The CUDA backend requires NCCL 2.31.
   * @see ncclMemFence
   */
  (proxy: 'fabric', producer: MemoryProxy, consumer: MemoryProxy, order: MemoryOrder, scope?: 'block' | 'system'): void;
}

/**
 * The built-ins in the first parameter of every kernel and device function. The names of `use` are
 * there too.
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

  /** The thread in its CTA, from 0. @see threadIdx */
  readonly threadIdx: Index3;
  /** The CTA in the grid, from 0. @see blockIdx */
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
   * `nWarps` warps from warp `warp0` on; `id` 0 to 15, unique among spans alive at once.
   *
   * @see ncclCoopWarpSpan
   */
  readonly coopWarpSpan: (warp0: number, nWarps: number, id: number) => Coop;
  /**
   * Makes the group of all threads of the CTA. It is a function, so call it.
   *
   * ```ts
   * coopCta().sync(); // __syncthreads()
   * ```
   *
   * @see ncclCoopCta
   */
  readonly coopCta: () => Coop;
  /**
   * The lanes of the warp that reach this call together; always includes the calling lane. If you
   * pass a group, all its threads must reach the call. The result is then the part of the group in
   * the calling warp.
   *
   * @see ncclCoopCoalesced
   */
  readonly coopCoalesced: (coop?: CoopLike) => Coop;
  /** Hides the kind of a group, for callees that take any kind. @see ncclCoopAny */
  readonly coopAny: (coop: CoopLike) => Coop;
  /**
   * The u32 mask of the lanes of the calling warp that are in the group.
   *
   * @see ncclCoopGetLaneMask
   */
  readonly coopGetLaneMask: (coop: Coop) => number;
  /** True if the group's kind is one thread. A compile-time constant. @see ncclCoopIsThread */
  readonly coopIsThread: (coop: Coop) => boolean;
  /**
   * True if groups of this kind never span warps. A compile-time constant.
   *
   * @see ncclCoopWithinWarp
   */
  readonly coopWithinWarp: (coop: Coop) => boolean;

  /**
   * Orders the calling thread's accesses before it and after it. The default scope is `'system'`.
   *
   * ```ts
   * fence('acq_rel', 'device');
   * ```
   *
   * @see cuda::atomic_thread_fence
   */
  readonly fence: (order: MemoryOrder, scope?: MemoryScope) => void;
  readonly fenceProxy: FenceProxy;
  /**
   * Lets the next launch on the stream begin early, if it was launched with
   * `programmaticStreamSerialization`. It begins once every CTA of this launch has called this
   * function or has ended. One thread of a CTA is enough. The call orders nothing: the next launch
   * is sure to see this launch's writes only after `gridDependencySync`.
   * @see cudaTriggerProgrammaticLaunchCompletion
   */
  readonly launchDependents: () => void;
  /**
   * Blocks until the previous launch on the stream has ended. All its writes are then visible and
   * are ordered before the later accesses of the calling thread. The call does nothing in a launch
   * without `programmaticStreamSerialization`, because such a launch begins after the previous one
   * ends. Earlier launches may still be running if the previous launch did not wait for them.
   * @see cudaGridDependencySynchronize
   */
  readonly gridDependencySync: () => void;
  /**
   * Blocks until the condition holds. The condition may only load and compute, and may be evaluated
   * any number of times. After the wait, local arrays hold the values that the last evaluation
   * stored. So a kernel can use the same value that ended the wait. A second load, of any order,
   * could return a newer value.
   */
  readonly waitUntil: (condition: () => boolean) => void;

  /**
   * Returns the value that lane `lane` of the calling warp passes. All threads of the warp must
   * call it.
   */
  readonly shfl: (value: number, lane: number) => number;
  readonly shflUp: (value: number, delta: number) => number;
  readonly shflDown: (value: number, delta: number) => number;
  readonly shflXor: (value: number, mask: number) => number;
  /** Returns the u32 mask of the lanes whose condition is true. */
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
  /** The type of a value, or of a pointer's elements. A compile-time constant. */
  readonly typeOf: (value: number | Ptr) => TypeFn;
  /** The size of the type in bytes. A compile-time constant. */
  readonly sizeOf: (type: TypeFn) => number;

  /**
   * An array of `n` elements that all threads of the CTA share. `n` is a constant. The elements are
   * not initialised.
   */
  readonly sharedArray: (type: TypeFn, n: number) => Ptr;
  /**
   * An array of `n` elements of the calling thread. `n` is a constant. The elements are not
   * initialised.
   */
  readonly localArray: (type: TypeFn, n: number) => Ptr;
  /** `for (const i of unroll(n))`: repeats the body for each i < n, a constant. */
  readonly unroll: (n: number) => Iterable<number>;

  /** The cycle counter, u64. */
  readonly clock: () => number;
  /** Ends the launch with the message `text` if the condition is false. */
  readonly assert: (condition: boolean | number, text: string) => void;
  /**
   * A precondition of a device function. If the condition is false, the simulator ends the launch
   * and reports misuse with this text. GPUs do not test the condition, as NCCL does not. Each `{}`
   * in the text is replaced by the next of `values`: `requires(i < n, 'block {}, but there are {}',
   * i, n)`.
   */
  readonly requires: (condition: boolean | number, text: string, ...values: (number | boolean)[]) => void;
  /** Prints strings and values, one line for each thread. */
  readonly print: (...parts: (string | number | boolean)[]) => void;
}
