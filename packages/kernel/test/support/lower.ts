import {
  addr,
  bf16,
  bool,
  e4m3,
  f16,
  f32,
  f64,
  i16,
  i32,
  i64,
  i8,
  ptr,
  u16,
  u32,
  u64,
  u8,
  vec,
  type ParamTypes,
  type Use,
} from '@nccl-ts/kernel';
import { complaints, ir, kernelFromText, moduleOf } from './compile.ts';

/** One parameter of each type, under short names. */
export const params: ParamTypes = {
  p: ptr(f32),
  q: ptr(u32),
  r: ptr(i32),
  bytes: ptr(u8),
  halves: ptr(bf16),
  longs: ptr(u64),
  n: u32,
  m: u32,
  i: i32,
  j: i32,
  l: u64,
  k: i64,
  x: f32,
  y: f32,
  d: f64,
  h: f16,
  g: bf16,
  e: e4m3,
  b: u8,
  c: i8,
  s: u16,
  t: i16,
  flag: bool,
  at: addr,
  v: vec(f32, 4),
  w: vec(f32, 4),
};

const taken =
  'bool, i8, u8, i16, u16, i32, u32, i64, u64, f16, bf16, f32, f64, e4m3, e5m2, addr, vec, threadIdx, blockIdx, blockDim, gridDim, ' +
  'warpSize, laneId, coopThread, coopWarp, coopTile, coopLanes, coopWarpSpan, coopCta, coopCoalesced, coopAny, ' +
  'coopGetLaneMask, coopIsThread, coopWithinWarp, fence, fenceProxy, launchDependents, gridDependencySync, ' +
  'waitUntil, shfl, shflUp, shflDown, shflXor, ballot, any, all, math, min, max, abs, fma, popcount, clz, ctz, lane, withLane, bitcast, typeOf, sizeOf, ' +
  'sharedArray, localArray, unroll, clock, assert, print';

/** Additional entries of `use`, besides the built-ins and the parameters above. */
export interface More {
  readonly use?: Use;
  readonly params?: ParamTypes;
}

function kernelOf(body: string, { use = {}, params: own = {} }: More): ReturnType<typeof kernelFromText> {
  const all = { ...params, ...own };
  const names = [taken, ...Object.keys(use)].join(', ');
  return kernelFromText(`({ ${names} }, { ${Object.keys(all).join(', ')} }) => { ${body} }`, { use, params: all });
}

/**
 * The IR of a kernel with this body, which sees all built-ins and the parameters above. The text
 * has the parameters by their names.
 */
export function lower(body: string, more: More = {}): string {
  const kernel = kernelOf(body, more);
  const names = moduleOf(kernel).params.map(({ name }) => name);
  return ir(kernel).replaceAll(/\$(\d+)/g, (_, index: string) => names[Number(index)] ?? '?');
}

/** The diagnostics of a kernel with this body. */
export function wrong(body: string, more: More = {}): readonly string[] {
  return complaints(kernelOf(body, more));
}
