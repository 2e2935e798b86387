import { scalarInfo, type ScalarKind } from '@nccl-ts/core';
import { bitcast, constant, convert, scalarType, type Expression } from '@nccl-ts/ir';

/** The signed integer for a register of this many bytes. It has at least 16 bits. */
export function signedOf(bytes: number): 'i16' | 'i32' | 'i64' {
  return bytes === 8 ? 'i64' : bytes === 4 ? 'i32' : 'i16';
}

/** The unsigned integer of this many bytes. */
export function unsignedOf(bytes: number): 'u8' | 'u16' | 'u32' | 'u64' {
  switch (bytes) {
    case 1:
      return 'u8';
    case 2:
      return 'u16';
    case 4:
      return 'u32';
    default:
      return 'u64';
  }
}

export function bytesOfScalar(scalar: ScalarKind): number {
  return scalarInfo[scalar].bytes;
}

function isInteger(scalar: ScalarKind): boolean {
  return scalarInfo[scalar].class === 'int';
}

/**
 * The low bits of `value`, a scalar other than a bool, as a `scalar`. The upper bits are zero if
 * `value` has fewer bits.
 */
export function bitsAs(value: Expression, scalar: ScalarKind): Expression {
  const from = value.type;
  if (from.kind !== 'scalar' || from.scalar === scalar) return value;
  const fromBytes = bytesOfScalar(from.scalar);
  const bytes = bytesOfScalar(scalar);
  if (isInteger(from.scalar) && isInteger(scalar)) {
    // Signed numbers would be sign-extended.
    const whole = fromBytes < bytes ? change(value, unsignedOf(fromBytes)) : value;
    return change(whole, scalar);
  }
  if (fromBytes === bytes) return bitcast(scalarType(scalar), value);
  const whole = isInteger(from.scalar) ? value : bitcast(scalarType(unsignedOf(fromBytes)), value);
  return bitsAs(bitsAs(whole, unsignedOf(bytes)), scalar);
}

function change(value: Expression, scalar: ScalarKind): Expression {
  return value.type.kind === 'scalar' && value.type.scalar === scalar ? value : convert(scalarType(scalar), value);
}

/** A constant of the low bits of `bits`. */
export function bitsConstant(scalar: ScalarKind, bits: bigint): Expression {
  const bytes = bytesOfScalar(scalar);
  if (isInteger(scalar)) {
    const value = scalarInfo[scalar].signed ? BigInt.asIntN(bytes * 8, bits) : BigInt.asUintN(bytes * 8, bits);
    return constant(scalar, bytes === 8 ? value : Number(value));
  }
  const view = new DataView(new ArrayBuffer(8));
  view.setBigUint64(0, BigInt.asUintN(64, bits), true);
  const number = scalar === 'f32' ? view.getFloat32(0, true) : scalar === 'f64' ? view.getFloat64(0, true) : Number.NaN;
  // The bits of a NaN stay as they are.
  return Number.isNaN(number)
    ? bitcast(scalarType(scalar), bitsConstant(unsignedOf(bytes), bits))
    : constant(scalar, number);
}
