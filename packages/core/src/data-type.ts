import { scalarInfo } from './scalar-kind.ts';
import type { ScalarKind } from './scalar-kind.ts';

/**
 * The element types of collectives, with NCCL's integers. NCCL's aliases (`ncclChar`, `ncclHalf`,
 * ...) are not ported.
 *
 * @see ncclDataType_t
 */
export const DataType: {
  readonly Int8: 0;
  readonly Uint8: 1;
  readonly Int32: 2;
  readonly Uint32: 3;
  readonly Int64: 4;
  readonly Uint64: 5;
  readonly Float16: 6;
  readonly Float32: 7;
  readonly Float64: 8;
  readonly Bfloat16: 9;
  readonly Float8e4m3: 10;
  readonly Float8e5m2: 11;
} = Object.freeze({
  Int8: 0,
  Uint8: 1,
  Int32: 2,
  Uint32: 3,
  Int64: 4,
  Uint64: 5,
  Float16: 6,
  Float32: 7,
  Float64: 8,
  Bfloat16: 9,
  Float8e4m3: 10,
  Float8e5m2: 11,
});

export type DataTypeName = keyof typeof DataType;
export type DataType = (typeof DataType)[DataTypeName];

export interface DataTypeInfo {
  readonly name: DataTypeName;
  /** The scalar type of kernels. */
  readonly scalar: ScalarKind;
  readonly bytes: number;
}

function info(name: DataTypeName, scalar: ScalarKind): DataTypeInfo {
  return Object.freeze({ name, scalar, bytes: scalarInfo[scalar].bytes });
}

/** Name, scalar and size of every data type. */
export const dataTypeInfo: Readonly<Record<DataType, DataTypeInfo>> = /* @__PURE__ */ Object.freeze({
  0: info('Int8', 'i8'),
  1: info('Uint8', 'u8'),
  2: info('Int32', 'i32'),
  3: info('Uint32', 'u32'),
  4: info('Int64', 'i64'),
  5: info('Uint64', 'u64'),
  6: info('Float16', 'f16'),
  7: info('Float32', 'f32'),
  8: info('Float64', 'f64'),
  9: info('Bfloat16', 'bf16'),
  10: info('Float8e4m3', 'e4m3'),
  11: info('Float8e5m2', 'e5m2'),
});

const byScalar: Readonly<Record<ScalarKind, DataType | undefined>> = Object.freeze({
  bool: undefined,
  i8: DataType.Int8,
  u8: DataType.Uint8,
  i16: undefined,
  u16: undefined,
  i32: DataType.Int32,
  u32: DataType.Uint32,
  i64: DataType.Int64,
  u64: DataType.Uint64,
  f16: DataType.Float16,
  bf16: DataType.Bfloat16,
  f32: DataType.Float32,
  f64: DataType.Float64,
  e4m3: DataType.Float8e4m3,
  e5m2: DataType.Float8e5m2,
  addr: undefined,
});

/** The size of an element in bytes. */
export function dataTypeBytes(type: DataType): number {
  return dataTypeInfo[type].bytes;
}

/** The scalar type that kernels use for a data type. */
export function scalarOfDataType(type: DataType): ScalarKind {
  return dataTypeInfo[type].scalar;
}

/**
 * NCCL's data type for a scalar. `undefined` for `bool`, the 16-bit integers and `addr`, for which
 * NCCL has no type.
 */
export function dataTypeOfScalar(kind: ScalarKind): DataType | undefined {
  return byScalar[kind];
}
