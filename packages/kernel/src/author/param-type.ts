import { NcclError, scalarInfo, type ScalarKind } from '@nccl-ts/core';
import { scalarType, vectorType, type ValueType } from '@nccl-ts/ir';
import type { Phantom } from './phantom.ts';
import type { DevicePointerArg, Ptr, TypeFn } from './value.ts';
import type { DeviceFn } from './device-fn.ts';

/** A type of a parameter or of memory. Generic kernels take types through `use`. */
export interface ScalarParam<K extends ScalarKind = ScalarKind, Host = number> extends Phantom<number, Host> {
  readonly kind: 'scalar';
  readonly scalar: K;
}

export interface VectorParam<K extends ScalarKind = ScalarKind> extends Phantom<number, readonly (number | bigint)[]> {
  readonly kind: 'vector';
  readonly element: K;
  readonly width: number;
}

/** A type that memory may hold. */
export type ValueParam = ScalarParam<ScalarKind, unknown> | VectorParam;

/** A device address, as `getLsaDevicePointer` returns it. */
export interface PointerParam extends Phantom<Ptr, DevicePointerArg> {
  readonly kind: 'pointer';
  readonly element: ValueParam;
}

/**
 * Functions that kernels call as methods of a handle or struct. The value itself is their first
 * parameter.
 */
export type Methods = Readonly<Record<string, DeviceFn<unknown>>>;

/** A device function for each method that the type has in bodies. */
type MethodsOf<Author> = {
  readonly [
    Name in keyof Author as Author[Name] extends TypeFn
      ? never
      : Author[Name] extends (...args: never[]) => unknown
        ? Name
        : never
  ]: DeviceFn<unknown>;
};

/**
 * A value such as `DevComm` or `Window` that only its backend understands. `fields` are the members
 * that kernels may read. The members of a struct field get dotted names.
 */
export interface HandleParam<Author = unknown, Host = unknown> extends Phantom<Author, Host> {
  readonly kind: 'handle';
  readonly handle: string;
  readonly fields: Readonly<Record<string, ParamType>>;
  readonly methods: Methods;
}

/**
 * Several values under one name: `Team`, `SymPtr<T>`. A launch passes the members one by one, depth
 * first, under dotted names. `types` are compile-time members, such as the element type of a
 * `SymPtr`.
 */
export interface StructParam<Author = unknown, Host = unknown> extends Phantom<Author, Host> {
  readonly kind: 'struct';
  readonly struct: string;
  readonly fields: Readonly<Record<string, ParamType>>;
  readonly types: Readonly<Record<string, ValueParam>>;
  readonly methods: Methods;
}

export type ParamType = ValueParam | PointerParam | HandleParam | StructParam;
export type ParamTypes = Readonly<Record<string, ParamType>>;

function scalarParam<K extends ScalarKind, Host = number>(scalar: K): ScalarParam<K, Host> {
  return Object.freeze({ kind: 'scalar', scalar });
}

/** A boolean. */
export const bool: ScalarParam<'bool', boolean> = scalarParam('bool');
export const i8: ScalarParam<'i8'> = scalarParam('i8');
export const u8: ScalarParam<'u8'> = scalarParam('u8');
export const i16: ScalarParam<'i16'> = scalarParam('i16');
export const u16: ScalarParam<'u16'> = scalarParam('u16');
export const i32: ScalarParam<'i32'> = scalarParam('i32');
export const u32: ScalarParam<'u32'> = scalarParam('u32');
/** Exact on every backend. Hosts pass a number (a safe integer) or a bigint. */
export const i64: ScalarParam<'i64', number | bigint> = scalarParam('i64');
/** Exact on every backend. Hosts pass a number (a safe integer) or a bigint. */
export const u64: ScalarParam<'u64', number | bigint> = scalarParam('u64');
export const f16: ScalarParam<'f16'> = scalarParam('f16');
export const bf16: ScalarParam<'bf16'> = scalarParam('bf16');
export const f32: ScalarParam<'f32'> = scalarParam('f32');
export const f64: ScalarParam<'f64'> = scalarParam('f64');
/** OCP FP8 E4M3, a storage type. Arithmetic converts it to f16. */
export const e4m3: ScalarParam<'e4m3'> = scalarParam('e4m3');
/** OCP FP8 E5M2, a storage type. Arithmetic converts it to f16. */
export const e5m2: ScalarParam<'e5m2'> = scalarParam('e5m2');
/**
 * A byte offset or an address, from 0 to 2^53 - 1. Arithmetic is exact, and faster than with u64 on
 * every backend but CUDA.
 */
export const addr: ScalarParam<'addr', number | bigint> = scalarParam('addr');

/**
 * A vector of up to 16 bytes, computed element by element: `vec(f32, 4)`, `vec(bf16, 8)`.
 *
 * @throws NcclError `NCCL_INVALID_ARGUMENT` if the width is not 2, 4, 8 or 16, or if the vector has
 *   more than 16 bytes.
 */
export function vec<K extends ScalarKind>(element: ScalarParam<K, unknown>, width: number): VectorParam<K> {
  const problem = vectorProblem(element.scalar, width);
  if (problem !== undefined) {
    throw new NcclError('NCCL_INVALID_ARGUMENT', `vec(${element.scalar}, ${width}): ${problem}.`);
  }
  return Object.freeze({ kind: 'vector', element: element.scalar, width });
}

/** Describes the problem of a vector type; `undefined` if the type is valid. */
export function vectorProblem(element: ScalarKind, width: number): string | undefined {
  if (element === 'bool' || element === 'addr') return `the elements of a vector are numbers, not ${element}`;
  if (![2, 4, 8, 16].includes(width)) return `the width must be 2, 4, 8 or 16`;
  const bytes = scalarInfo[element].bytes * width;
  return bytes > 16 ? `${bytes} bytes, but a vector has at most 16` : undefined;
}

/** A parameter that takes a device address of `element`s. */
export function ptr(element: ValueParam): PointerParam {
  return Object.freeze({ kind: 'pointer', element });
}

/** Declares a handle type. Packages that define device types use it, such as `devcomm`. */
export function handleParam<Author, Host>(definition: {
  readonly handle: string;
  readonly fields: Readonly<Record<string, ParamType>>;
  readonly methods?: MethodsOf<Author>;
}): HandleParam<Author, Host> {
  const { handle, fields, methods = {} } = definition;
  return Object.freeze({
    kind: 'handle',
    handle,
    fields: Object.freeze({ ...fields }),
    methods: Object.freeze({ ...methods }),
  });
}

/** Declares a struct type. Packages that define device types use it, such as `devcomm`. */
export function structParam<Author, Host>(definition: {
  readonly struct: string;
  readonly fields: Readonly<Record<string, ParamType>>;
  readonly types?: Readonly<Record<string, ValueParam>>;
  readonly methods?: MethodsOf<Author>;
}): StructParam<Author, Host> {
  const { struct, fields, types = {}, methods = {} } = definition;
  return Object.freeze({
    kind: 'struct',
    struct,
    fields: Object.freeze({ ...fields }),
    types: Object.freeze({ ...types }),
    methods: Object.freeze({ ...methods }),
  });
}

/** The IR's type of a value type. */
export function valueTypeOf(param: ValueParam): ValueType {
  return param.kind === 'scalar' ? scalarType(param.scalar) : vectorType(param.element, param.width);
}

/** The type that a kernel's body sees for a type in `use`. */
export type TypeAuthor<T> = T extends ValueParam ? TypeFn : never;
