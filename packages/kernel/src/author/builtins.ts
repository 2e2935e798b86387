import type { MemoryOrder, MemoryScope } from '@nccl-ts/core';
import type { Coop, CoopLike, Index3, Ptr, TypeFn } from './value.ts';

/** Math on floats, in the operand's type. `floor`, `ceil`, `trunc`, `round`, `sqrt` are exact; the others within 1 ULP. */
export interface MathBuiltins {
  sqrt(x: number): number;
  rsqrt(x: number): number;
  exp(x: number): number;
  exp2(x: number): number;
  log(x: number): number;
  log2(x: number): number;
  sin(x: number): number;
  cos(x: number): number;
  tanh(x: number): number;
  pow(x: number, y: number): number;
  floor(x: number): number;
  ceil(x: number): number;
  trunc(x: number): number;
  /** To the nearest integer, ties to even. */
  round(x: number): number;
}

/** What every kernel and device function finds in its first parameter, beside what `use` names. */
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
  vec(element: TypeFn, width: number): TypeFn;

  readonly threadIdx: Index3;
  readonly blockIdx: Index3;
  readonly blockDim: Index3;
  readonly gridDim: Index3;
  readonly warpSize: number;
  readonly laneId: number;

  /** @see ncclCoopThread */
  coopThread(): Coop;
  /** @see ncclCoopWarp */
  coopWarp(): Coop;
  /** `n` a power of two up to 32. @see ncclCoopTile */
  coopTile(n: number): Coop;
  /** @see ncclCoopLanes */
  coopLanes(mask: number): Coop;
  /** `nWarps` warps from warp `warp0` on; `id` 0 to 15, unique among spans alive at once. @see ncclCoopWarpSpan */
  coopWarpSpan(warp0: number, nWarps: number, id: number): Coop;
  /** @see ncclCoopCta */
  coopCta(): Coop;
  /** The lanes of the warp that are here together, at least the own one. @see ncclCoopCoalesced */
  coopCoalesced(): Coop;
  /** A group whose kind the callee need not know. @see ncclCoopAny */
  coopAny(coop: CoopLike): Coop;

  fence(order: MemoryOrder, scope?: MemoryScope): void;
  fenceProxy(proxy: 'alias'): void;
  /** Blocks until the condition holds. Loads and a pure condition only; evaluated any number of times. */
  waitUntil(condition: () => boolean): void;

  /** Of the calling warp; all its threads must take part. */
  shfl(value: number, lane: number): number;
  shflUp(value: number, delta: number): number;
  shflDown(value: number, delta: number): number;
  shflXor(value: number, mask: number): number;
  /** The u32 mask of the lanes whose condition holds. */
  ballot(condition: boolean | number): number;
  any(condition: boolean | number): boolean;
  all(condition: boolean | number): boolean;

  readonly math: MathBuiltins;
  min(a: number, b: number): number;
  max(a: number, b: number): number;
  abs(x: number): number;
  /** `a * b + c`, rounded once. */
  fma(a: number, b: number, c: number): number;
  popcount(x: number): number;
  clz(x: number): number;
  ctz(x: number): number;
  /** Element `i` of a vector. */
  lane(vector: number, i: number): number;
  /** The vector with element `i` replaced. */
  withLane(vector: number, i: number, value: number): number;
  /** The same bytes as another type of the same size. */
  bitcast(type: TypeFn, value: number): number;

  /** `n` (a constant) elements that the CTA's threads share. Not initialised. */
  sharedArray(type: TypeFn, n: number): Ptr;
  /** `n` (a constant) elements of the calling thread's own. Not initialised. */
  localArray(type: TypeFn, n: number): Ptr;
  /** `for (const i of unroll(n))`: the body once for each i < n, a constant. */
  unroll(n: number): Iterable<number>;

  /** The cycle counter, u64. */
  clock(): number;
  /** Ends the launch with the text where the condition does not hold. */
  assert(condition: boolean | number, text: string): void;
  /** One line for each thread; strings and values. */
  print(...parts: (string | number | boolean)[]): void;
}
