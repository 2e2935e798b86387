import { elementScalar, type BinaryOp, type MathFunction, type UnaryOp, type VectorType } from '@nccl-ts/ir';
import { scalarInfo } from '@nccl-ts/core';

import { bitsOf, ofBits } from './emit-bytes.ts';
import { narrowedHalves, widenedHalves } from './emit-halves.ts';
import { value, type WasmValue } from './function-builder.ts';
import { lane, op, type WasmCode } from './instruction.ts';
import type { PlainOp } from './opcodes.ts';
import { keep, type Components, type WasmScope } from './scope.ts';
import {
  extractLaneOf,
  halfOf,
  heldIn,
  isHalf,
  replaceLaneOf,
  splatOf,
  type HalfShape,
  type NumberShape,
  type VectorShape,
} from './types.ts';

/** Returns the elements of a vector that is in a `v128`. */
export function unpacked(type: VectorType, shape: VectorShape, packed: WasmValue, scope: WasmScope): Components {
  const stored = keep(scope, packed);
  const kind = elementScalar(type);
  const extract = extractLaneOf(shape, scalarInfo[kind].signed);
  return Array.from({ length: type.width }, (_, i) => {
    const element: WasmCode = [...stored.code, lane(extract, i)];
    return isHalf(shape) ? ofBits(kind, value('i32', ...element), scope, () => 0) : value(heldIn[kind], ...element);
  });
}

/** Returns the `v128` of a vector's elements. A single element fills all lanes. */
export function packedOf(shape: VectorShape, elements: Components, scope: Pick<WasmScope, 'region'>): WasmValue {
  const half = halfOf(shape);
  const [first, ...rest] = half === undefined ? elements : elements.map((element) => bitsOf(half, element, scope));
  const code = [...(first?.code ?? []), op(splatOf[shape])];
  rest.forEach((element, i) => code.push(...element.code, lane(replaceLaneOf[shape], i + 1)));
  return { ...value('v128', ...code), canonical: half === undefined ? undefined : true };
}

const both = { and: 'v128.and', or: 'v128.or', xor: 'v128.xor' } as const;

const sums: Readonly<Partial<Record<`${NumberShape}.${BinaryOp}`, PlainOp>>> = {
  'i8x16.add': 'i8x16.add',
  'i8x16.sub': 'i8x16.sub',
  'i16x8.add': 'i16x8.add',
  'i16x8.sub': 'i16x8.sub',
  'i16x8.mul': 'i16x8.mul',
  'i32x4.add': 'i32x4.add',
  'i32x4.sub': 'i32x4.sub',
  'i32x4.mul': 'i32x4.mul',
  'i64x2.add': 'i64x2.add',
  'i64x2.sub': 'i64x2.sub',
  'i64x2.mul': 'i64x2.mul',
  'f32x4.add': 'f32x4.add',
  'f32x4.sub': 'f32x4.sub',
  'f32x4.mul': 'f32x4.mul',
  'f32x4.div': 'f32x4.div',
  'f64x2.add': 'f64x2.add',
  'f64x2.sub': 'f64x2.sub',
  'f64x2.mul': 'f64x2.mul',
  'f64x2.div': 'f64x2.div',
};

/**
 * Applies the operation to all lanes at once. Returns `undefined` if there is no such instruction.
 */
export function packedBinary(
  name: BinaryOp,
  shape: VectorShape,
  signed: boolean,
  a: WasmValue,
  b: WasmValue,
  scope: WasmScope,
): WasmValue | undefined {
  if (isHalf(shape)) return halvesBinary(name, shape, a, b, scope);
  const whole = (instruction: PlainOp): WasmValue => value('v128', ...a.code, ...b.code, op(instruction));
  if ((name === 'and' || name === 'or' || name === 'xor') && shape[0] === 'i') return whole(both[name]);
  if (name === 'min' || name === 'max') {
    if (shape === 'f32x4' || shape === 'f64x2') return floatLeast(name, shape, keep(scope, a), keep(scope, b));
    return shape === 'i64x2' ? undefined : whole(`${shape}.${name}_${signed ? 's' : 'u'}`);
  }
  const known = sums[`${shape}.${name}`];
  return known === undefined ? undefined : whole(known);
}

/** Computes in f32 and rounds once, because f32 has more than twice the bits. */
function halvesBinary(
  name: BinaryOp,
  shape: HalfShape,
  a: WasmValue,
  b: WasmValue,
  scope: WasmScope,
): WasmValue | undefined {
  if (name === 'rem') return undefined;
  const [left, right] = [widenedHalves(shape, a, scope), widenedHalves(shape, b, scope)];
  const [low, high] = left.map((one, i) => packedBinary(name, 'f32x4', true, one, right[i] ?? one, scope));
  return low === undefined || high === undefined ? undefined : narrowedHalves(shape, low, high, scope);
}

/** The result for a NaN and a number is the number. */
function floatLeast(name: 'min' | 'max', shape: 'f32x4' | 'f64x2', a: WasmValue, b: WasmValue): WasmValue {
  const isNaN = ({ code }: WasmValue): WasmCode => [...code, ...code, op(`${shape}.ne`)];
  const least: WasmCode = [...a.code, ...b.code, op(`${shape}.${name}`)];
  const orLeft: WasmCode = [...a.code, ...least, ...isNaN(b), op('v128.bitselect')];
  return value('v128', ...b.code, ...orLeft, ...isNaN(a), op('v128.bitselect'));
}

export function packedUnary(name: UnaryOp, shape: VectorShape, a: WasmValue): WasmValue | undefined {
  if (isHalf(shape)) return undefined;
  if (name === 'neg') return value('v128', ...a.code, op(`${shape}.neg`));
  return name === 'bitNot' ? value('v128', ...a.code, op('v128.not')) : undefined;
}

export function packedMath(name: MathFunction, shape: VectorShape, args: Components): WasmValue | undefined {
  const [a] = args;
  if (a === undefined) return undefined;
  const whole = (instruction: PlainOp): WasmValue => value('v128', ...a.code, op(instruction));
  if ((shape === 'f32x4' || shape === 'f64x2') && (name === 'sqrt' || name === 'abs')) return whole(`${shape}.${name}`);
  if (shape !== 'f32x4') return undefined;
  if (name === 'floor' || name === 'ceil' || name === 'trunc') return whole(`f32x4.${name}`);
  return name === 'round' ? whole('f32x4.nearest') : undefined;
}
