import { scalarInfo, type ScalarKind } from '@nccl-ts/core';
import {
  narrowedBf16,
  narrowedF16,
  widenedBf16,
  widenedF16,
  f32,
  f64,
  get,
  i64,
  lines,
  op,
  type WasmCode,
  type Instruction,
  type PlainOp,
} from '@nccl-ts/codegen/encoder';
import type { NativeReduction } from '../plan/native-work.ts';

/**
 * The reduction of the elements in 16 bytes, several lanes at a time. Values are summed in separate
 * vectors: elements of two bytes take two of them.
 */
export interface LaneReduction {
  /** Returns the vectors in which the 16 bytes in the local `packed` are reduced. */
  widen(packed: number): readonly WasmCode[];
  /** Combines the locals `total` and `value`. */
  join(total: number, value: number): WasmCode;
  /** Applies the final operation to the local `total`, of `ranks` values. */
  finish(total: number, ranks: number): WasmCode;
  /** Returns the 16 bytes of the locals `totals`. `scratch` is a local for a vector. */
  narrow(totals: readonly number[], scratch: number): WasmCode;
}

/** Returns the reduction; `undefined` if there are no instructions for it. */
export function laneReduction(element: ScalarKind, reduction: NativeReduction): LaneReduction | undefined {
  const lanes = lanesOf[element];
  if (lanes === undefined) return undefined;
  const { shape, signed, halves } = lanes;
  const isFloat = shape === 'f32x4' || shape === 'f64x2';
  const join = joinOf(shape, signed, reduction);
  if (join === undefined || (reduction === 'avg' && !isFloat)) return undefined;
  const finish = (total: number, ranks: number): WasmCode => {
    if (reduction !== 'avg') return [get(total)];
    const divisor = shape === 'f32x4' ? [f32(ranks), op('f32x4.splat')] : [f64(ranks), op('f64x2.splat')];
    return [get(total), ...divisor, op(shape === 'f32x4' ? 'f32x4.div' : 'f64x2.div')];
  };
  if (halves === undefined) {
    return {
      widen: (packed) => [[get(packed)]],
      join,
      finish,
      narrow: ([total = 0]) => [get(total)],
    };
  }
  return {
    widen: (packed) => [halves.widen(packed, 'low'), halves.widen(packed, 'high')],
    join,
    finish,
    narrow: ([low = 0, high = 0], scratch) => [
      ...halves.narrow(low, scratch),
      ...halves.narrow(high, scratch),
      op('i16x8.narrow_i32x4_u'),
    ],
  };
}

type LaneShape = 'i8x16' | 'i16x8' | 'i32x4' | 'i64x2' | 'f32x4' | 'f64x2';

/** Converts elements of two bytes to lanes of four bytes, and back. */
interface Halves {
  widen(packed: number, half: 'low' | 'high'): WasmCode;
  narrow(single: number, scratch: number): WasmCode;
}

interface Lanes {
  readonly shape: LaneShape;
  readonly signed: boolean;
  readonly halves?: Halves;
}

function whole(shape: LaneShape, kind: ScalarKind): Lanes {
  return { shape, signed: scalarInfo[kind].signed };
}

const lanesOf: Readonly<Partial<Record<ScalarKind, Lanes>>> = {
  i8: whole('i8x16', 'i8'),
  u8: whole('i8x16', 'u8'),
  i16: whole('i16x8', 'i16'),
  u16: whole('i16x8', 'u16'),
  i32: whole('i32x4', 'i32'),
  u32: whole('i32x4', 'u32'),
  i64: whole('i64x2', 'i64'),
  u64: whole('i64x2', 'u64'),
  f32: whole('f32x4', 'f32'),
  f64: whole('f64x2', 'f64'),
  f16: { shape: 'f32x4', signed: true, halves: { widen: widenedF16, narrow: narrowedF16 } },
  bf16: { shape: 'f32x4', signed: true, halves: { widen: widenedBf16, narrow: narrowedBf16 } },
};

function joinOf(shape: LaneShape, signed: boolean, reduction: NativeReduction): LaneReduction['join'] | undefined {
  const by =
    (name: PlainOp): LaneReduction['join'] =>
    (total, value) => [get(total), get(value), op(name)];
  switch (reduction) {
    case 'sum':
    case 'avg':
      return by(`${shape}.add`);
    case 'prod':
      return shape === 'i8x16' ? undefined : by(`${shape}.mul`);
    case 'min':
    case 'max':
      if (shape === 'f32x4' || shape === 'f64x2') return floatExtreme(shape, reduction);
      return shape === 'i64x2' ? wideExtreme(signed, reduction) : by(`${shape}.${reduction}_${signed ? 's' : 'u'}`);
  }
}

/** The result for a NaN and a number is the number. */
function floatExtreme(shape: 'f32x4' | 'f64x2', name: 'min' | 'max'): LaneReduction['join'] {
  return (total, value) => {
    const isNaN = (local: number): WasmCode => [get(local), get(local), op(`${shape}.ne`)];
    const least: WasmCode = [get(total), get(value), op(`${shape}.${name}`)];
    const orTotal: WasmCode = [get(total), ...least, ...isNaN(value), op('v128.bitselect')];
    return [get(value), ...orTotal, ...isNaN(total), op('v128.bitselect')];
  };
}

/**
 * There are only signed comparisons. For unsigned ones, both operands are shifted by half of their
 * range.
 */
function wideExtreme(signed: boolean, name: 'min' | 'max'): LaneReduction['join'] {
  const moved: readonly Instruction[] = signed ? [] : [i64(-(2n ** 63n)), op('i64x2.splat'), op('v128.xor')];
  return (total, value) =>
    lines(
      [get(total), get(value)],
      [get(total), ...moved, get(value), ...moved],
      [op(name === 'min' ? 'i64x2.lt_s' : 'i64x2.gt_s'), op('v128.bitselect')],
    );
}
