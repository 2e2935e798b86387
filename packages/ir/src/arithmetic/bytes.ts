import {
  bf16ToNumber,
  e4m3ToNumber,
  e5m2ToNumber,
  f16ToNumber,
  numberToBf16,
  numberToE4m3,
  numberToE5m2,
  numberToF16,
  scalarInfo,
  type ScalarKind,
} from '@nccl-ts/core';
import type { ValueType } from '../type.ts';
import { elementScalar } from '../type.ts';
import { asBigint, asBoolean, asNumber, type ScalarValue } from './scalar-value.ts';

/** The size of a value in memory, in bytes. */
export function valueBytes(type: ValueType): number {
  return scalarInfo[elementScalar(type)].bytes * valueWidth(type);
}

/** The number of elements of a value. A scalar has 1. */
export function valueWidth(type: ValueType): number {
  return type.kind === 'vector' ? type.width : 1;
}

/**
 * Writes a value of `kind`, little endian. Every NaN is written as the canonical NaN of the codec.
 */
export function writeScalar(view: DataView, at: number, kind: ScalarKind, value: ScalarValue): void {
  writers[kind](view, at, value);
}

/**
 * Reads a value of `kind`, little endian. The payload of a NaN is lost. As a bool, any byte except
 * 0 is true.
 */
export function readScalar(view: DataView, at: number, kind: ScalarKind): ScalarValue {
  return readers[kind](view, at);
}

/**
 * Reinterprets the bytes of elements of type `from` as elements of type `to`. Exact except for
 * NaNs, because a JavaScript number does not keep their payload.
 *
 * Both types must have the same size, and `values` as many elements as `from`.
 */
export function bitcastBytes(from: ValueType, to: ValueType, values: readonly ScalarValue[]): readonly ScalarValue[] {
  const view = new DataView(new ArrayBuffer(valueBytes(from)));
  const source = elementScalar(from);
  values.forEach((value, index) => writeScalar(view, index * scalarInfo[source].bytes, source, value));
  const target = elementScalar(to);
  return Array.from({ length: valueWidth(to) }, (_, index) =>
    readScalar(view, index * scalarInfo[target].bytes, target),
  );
}

/** Conversions saturate, so an infinity can only come from memory, and must be kept. */
function e5m2Bits(value: number): number {
  return value === Infinity ? 0x7c : value === -Infinity ? 0xfc : numberToE5m2(value);
}

type Write = (view: DataView, at: number, value: ScalarValue) => void;
type Read = (view: DataView, at: number) => ScalarValue;

const writers: Readonly<Record<ScalarKind, Write>> = {
  bool: (view, at, value) => view.setUint8(at, asBoolean('bool', value) ? 1 : 0),
  i8: (view, at, value) => view.setInt8(at, asNumber('i8', value)),
  u8: (view, at, value) => view.setUint8(at, asNumber('u8', value)),
  i16: (view, at, value) => view.setInt16(at, asNumber('i16', value), true),
  u16: (view, at, value) => view.setUint16(at, asNumber('u16', value), true),
  i32: (view, at, value) => view.setInt32(at, asNumber('i32', value), true),
  u32: (view, at, value) => view.setUint32(at, asNumber('u32', value), true),
  i64: (view, at, value) => view.setBigInt64(at, asBigint('i64', value), true),
  u64: (view, at, value) => view.setBigUint64(at, asBigint('u64', value), true),
  f16: (view, at, value) => view.setUint16(at, numberToF16(asNumber('f16', value)), true),
  bf16: (view, at, value) => view.setUint16(at, numberToBf16(asNumber('bf16', value)), true),
  f32: (view, at, value) => view.setFloat32(at, asNumber('f32', value), true),
  f64: (view, at, value) => view.setFloat64(at, asNumber('f64', value), true),
  e4m3: (view, at, value) => view.setUint8(at, numberToE4m3(asNumber('e4m3', value))),
  e5m2: (view, at, value) => view.setUint8(at, e5m2Bits(asNumber('e5m2', value))),
  addr: (view, at, value) => view.setBigUint64(at, BigInt(asNumber('addr', value)), true),
};

const readers: Readonly<Record<ScalarKind, Read>> = {
  bool: (view, at) => view.getUint8(at) !== 0,
  i8: (view, at) => view.getInt8(at),
  u8: (view, at) => view.getUint8(at),
  i16: (view, at) => view.getInt16(at, true),
  u16: (view, at) => view.getUint16(at, true),
  i32: (view, at) => view.getInt32(at, true),
  u32: (view, at) => view.getUint32(at, true),
  i64: (view, at) => view.getBigInt64(at, true),
  u64: (view, at) => view.getBigUint64(at, true),
  f16: (view, at) => f16ToNumber(view.getUint16(at, true)),
  bf16: (view, at) => bf16ToNumber(view.getUint16(at, true)),
  f32: (view, at) => view.getFloat32(at, true),
  f64: (view, at) => view.getFloat64(at, true),
  e4m3: (view, at) => e4m3ToNumber(view.getUint8(at)),
  e5m2: (view, at) => e5m2ToNumber(view.getUint8(at)),
  addr: (view, at) => Number(view.getBigUint64(at, true)),
};
