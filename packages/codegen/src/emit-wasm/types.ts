import { scalarInfo, type ScalarKind } from '@nccl-ts/core';
import { typeName, type Type } from '@nccl-ts/ir';
import type { LaneOp, PlainOp, WasmType } from './opcodes.ts';
import { Unsupported } from '../emit-shared/unsupported.ts';

/**
 * The representation of a scalar. Integers of 8 and 16 bits are in their range. A `bool` is 0 or 1.
 * Narrow floats are rounded f32s. An `addr` is a double, as in JavaScript, which represents all
 * addresses exactly.
 */
export const heldIn: Readonly<Record<ScalarKind, WasmType>> = {
  bool: 'i32',
  i8: 'i32',
  u8: 'i32',
  i16: 'i32',
  u16: 'i32',
  i32: 'i32',
  u32: 'i32',
  i64: 'i64',
  u64: 'i64',
  f16: 'f32',
  bf16: 'f32',
  f32: 'f32',
  f64: 'f64',
  e4m3: 'f32',
  e5m2: 'f32',
  addr: 'f64',
};

/** The lane shapes that have instructions. */
export type NumberShape = 'i8x16' | 'i16x8' | 'i32x4' | 'i64x2' | 'f32x4' | 'f64x2';
/** 16-bit lanes that hold floats, as memory does. A NaN may have any bits. */
export type HalfShape = 'f16x8' | 'bf16x8';
export type VectorShape = NumberShape | HalfShape;

const shapes: Readonly<Partial<Record<ScalarKind, VectorShape>>> = {
  i8: 'i8x16',
  u8: 'i8x16',
  i16: 'i16x8',
  u16: 'i16x8',
  i32: 'i32x4',
  u32: 'i32x4',
  i64: 'i64x2',
  u64: 'i64x2',
  f16: 'f16x8',
  bf16: 'bf16x8',
  f32: 'f32x4',
  f64: 'f64x2',
};

/** Returns the lanes of a 16-byte vector in one `v128`; `undefined` for all other types. */
export function shapeOf(type: Type): VectorShape | undefined {
  if (type.kind !== 'vector' || type.width * scalarInfo[type.element].bytes !== 16) return undefined;
  return shapes[type.element];
}

/**
 * Returns the types of the values that represent a value: for vectors without a `v128` the
 * elements, and for pointers an address and a region.
 */
export function componentTypes(type: Type): readonly WasmType[] {
  switch (type.kind) {
    case 'scalar':
      return [heldIn[type.scalar]];
    case 'vector':
      return shapeOf(type) === undefined ? Array.from({ length: type.width }, () => heldIn[type.element]) : ['v128'];
    case 'pointer':
      return ['f64', 'i32'];
    case 'handle':
      throw new Unsupported(`a ${typeName(type)} in a variable`);
  }
}

const halves: Readonly<Record<HalfShape, ScalarKind>> = { f16x8: 'f16', bf16x8: 'bf16' };

/** Returns the float type that 16-bit lanes hold; `undefined` if lanes are numbers themselves. */
export function halfOf(shape: VectorShape): ScalarKind | undefined {
  return isHalf(shape) ? halves[shape] : undefined;
}

export function isHalf(shape: VectorShape): shape is HalfShape {
  return Object.hasOwn(halves, shape);
}

export const splatOf: Readonly<Record<VectorShape, PlainOp>> = {
  i8x16: 'i8x16.splat',
  i16x8: 'i16x8.splat',
  i32x4: 'i32x4.splat',
  i64x2: 'i64x2.splat',
  f32x4: 'f32x4.splat',
  f64x2: 'f64x2.splat',
  f16x8: 'i16x8.splat',
  bf16x8: 'i16x8.splat',
};

export const replaceLaneOf: Readonly<Record<VectorShape, LaneOp>> = {
  i8x16: 'i8x16.replace_lane',
  i16x8: 'i16x8.replace_lane',
  i32x4: 'i32x4.replace_lane',
  i64x2: 'i64x2.replace_lane',
  f32x4: 'f32x4.replace_lane',
  f64x2: 'f64x2.replace_lane',
  f16x8: 'i16x8.replace_lane',
  bf16x8: 'i16x8.replace_lane',
};

export function extractLaneOf(shape: VectorShape, signed: boolean): LaneOp {
  switch (shape) {
    case 'i8x16':
      return signed ? 'i8x16.extract_lane_s' : 'i8x16.extract_lane_u';
    case 'f16x8':
    case 'bf16x8':
      return 'i16x8.extract_lane_u';
    case 'i16x8':
      return signed ? 'i16x8.extract_lane_s' : 'i16x8.extract_lane_u';
    case 'i32x4':
      return 'i32x4.extract_lane';
    case 'i64x2':
      return 'i64x2.extract_lane';
    case 'f32x4':
      return 'f32x4.extract_lane';
    case 'f64x2':
      return 'f64x2.extract_lane';
  }
}
