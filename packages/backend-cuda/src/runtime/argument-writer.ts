import { numberToBf16, numberToE4m3, numberToE5m2, numberToF16, scalarInfo, type ScalarKind } from '@nccl-ts/core';
import type { Type } from '@nccl-ts/ir';

/** Writes one value of a scalar type. */
export type ScalarWriter = (view: DataView, offset: number, value: number | bigint | boolean) => void;

/**
 * The memory representation of each scalar, as in C++. The communicator has checked that values are
 * in range.
 */
export const scalarWriters: Readonly<Record<ScalarKind, ScalarWriter>> = {
  bool: (view, offset, value) => view.setUint8(offset, Number(value)),
  i8: (view, offset, value) => view.setInt8(offset, Number(value)),
  u8: (view, offset, value) => view.setUint8(offset, Number(value)),
  i16: (view, offset, value) => view.setInt16(offset, Number(value), true),
  u16: (view, offset, value) => view.setUint16(offset, Number(value), true),
  i32: (view, offset, value) => view.setInt32(offset, Number(value), true),
  u32: (view, offset, value) => view.setUint32(offset, Number(value), true),
  i64: (view, offset, value) => view.setBigInt64(offset, BigInt(value), true),
  u64: (view, offset, value) => view.setBigUint64(offset, BigInt(value), true),
  f16: (view, offset, value) => view.setUint16(offset, numberToF16(Number(value)), true),
  bf16: (view, offset, value) => view.setUint16(offset, numberToBf16(Number(value)), true),
  f32: (view, offset, value) => view.setFloat32(offset, Number(value), true),
  f64: (view, offset, value) => view.setFloat64(offset, Number(value), true),
  e4m3: (view, offset, value) => view.setUint8(offset, numberToE4m3(Number(value))),
  e5m2: (view, offset, value) => view.setUint8(offset, numberToE5m2(Number(value))),
  addr: (view, offset, value) => view.setBigUint64(offset, BigInt(value), true),
};

/** Writes the elements of a vector in sequence. */
export function writeVector(
  view: DataView,
  offset: number,
  element: ScalarKind,
  values: readonly (number | bigint)[],
): void {
  const { bytes } = scalarInfo[element];
  const write = scalarWriters[element];
  values.forEach((value, i) => write(view, offset + i * bytes, value));
}

/**
 * Returns the scalar of a parameter's value; undefined for handles and pointers, which are passed
 * as addresses.
 */
export function scalarOf(type: Type): ScalarKind | undefined {
  if (type.kind === 'scalar') return type.scalar;
  return type.kind === 'vector' ? type.element : undefined;
}
