import { scalarInfo, type ScalarKind } from '@nccl-ts/core';
import { elementScalar, type AddressSpace, type Type, type ValueType } from '@nccl-ts/ir';

/** The typed arrays in which generated code stores values of threads, and `Array` for handles. */
export type ArrayConstructorName =
  | 'Uint8Array'
  | 'Int32Array'
  | 'Uint32Array'
  | 'BigInt64Array'
  | 'BigUint64Array'
  | 'Float32Array'
  | 'Float64Array'
  | 'Array';

const storageArray: Readonly<Record<ScalarKind, ArrayConstructorName>> = {
  bool: 'Uint8Array',
  i8: 'Int32Array',
  u8: 'Uint32Array',
  i16: 'Int32Array',
  u16: 'Uint32Array',
  i32: 'Int32Array',
  u32: 'Uint32Array',
  i64: 'BigInt64Array',
  u64: 'BigUint64Array',
  f16: 'Float32Array',
  bf16: 'Float32Array',
  f32: 'Float32Array',
  f64: 'Float64Array',
  e4m3: 'Float32Array',
  e5m2: 'Float32Array',
  addr: 'Float64Array',
};

/** The heap view for a scalar's bytes. An `addr` is two words of `u32`. */
export const viewOf: Readonly<Record<ScalarKind, string>> = {
  bool: 'u8',
  i8: 'i8',
  u8: 'u8',
  i16: 'i16',
  u16: 'u16',
  i32: 'i32',
  u32: 'u32',
  i64: 'i64',
  u64: 'u64',
  f16: 'u16',
  bf16: 'u16',
  f32: 'f32',
  f64: 'f64',
  e4m3: 'u8',
  e5m2: 'u8',
  addr: 'u32',
};

/** The heap view through whose integers a scalar's bytes are read and written in one step. */
export const integerViewOf: Readonly<Record<ScalarKind, string>> = {
  ...viewOf,
  f32: 'u32',
  f64: 'u64',
  addr: 'u64',
};

/** The first letter of the views and bounds of an address space in generated code. */
export const spaceLetter: Readonly<Record<AddressSpace, string>> = { global: 'g', shared: 's', local: 'l' };

/** One of the JavaScript values that form a value. */
export interface Component {
  /** The suffix of the variable's name. */
  readonly suffix: string;
  readonly array: ArrayConstructorName;
  readonly zero: string;
  readonly bool: boolean;
}

/**
 * Returns the components of a type. A vector has its elements, a pointer an address and a region,
 * and every other type a single JavaScript value.
 */
export function componentsOf(type: Type): readonly Component[] {
  switch (type.kind) {
    case 'scalar':
      return [scalarComponent(type.scalar, '')];
    case 'vector':
      return Array.from({ length: type.width }, (_, i) => scalarComponent(type.element, `_${i}`));
    case 'pointer':
      return [
        { suffix: '_a', array: 'Float64Array', zero: '0', bool: false },
        { suffix: '_r', array: 'Int32Array', zero: '0', bool: false },
      ];
    case 'handle':
      return [{ suffix: '', array: 'Array', zero: 'null', bool: false }];
  }
}

function scalarComponent(scalar: ScalarKind, suffix: string): Component {
  const bool = scalar === 'bool';
  const big = scalar === 'i64' || scalar === 'u64';
  return { suffix, array: storageArray[scalar], zero: bool ? 'false' : big ? '0n' : '0', bool };
}

export function byteSize(type: ValueType): number {
  const { bytes } = scalarInfo[elementScalar(type)];
  return type.kind === 'vector' ? bytes * type.width : bytes;
}

/**
 * Returns the alignment of addresses of `type`: the whole size if it is a power of two, and
 * otherwise the element's.
 */
export function alignment(type: ValueType): number {
  const bytes = byteSize(type);
  return (bytes & (bytes - 1)) === 0 ? bytes : scalarInfo[elementScalar(type)].bytes;
}

/** Returns the scalar of a scalar or vector type; `undefined` for pointers and handles. */
export function scalarOf(type: Type): ScalarKind | undefined {
  return type.kind === 'scalar' || type.kind === 'vector' ? elementScalar(type) : undefined;
}

export function isBig(scalar: ScalarKind): boolean {
  return scalar === 'i64' || scalar === 'u64';
}

export function isFloat(scalar: ScalarKind): boolean {
  return scalarInfo[scalar].class === 'float';
}

/** Returns the number of components of a vector or scalar type, one scalar each. */
export function widthOf(type: Type): number {
  return type.kind === 'vector' ? type.width : 1;
}

/** Returns text that sets a component of a local in a typed array, and text that reads it. */
export function packed(component: Component, value: string): string {
  return component.bool ? `${value} ? 1 : 0` : value;
}

export function unpacked(component: Component, value: string): string {
  return component.bool ? `${value} !== 0` : value;
}
