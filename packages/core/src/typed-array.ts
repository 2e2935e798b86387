import type { ScalarKind } from './scalar-kind.ts';

/**
 * The typed array with the memory representation of a scalar. Floats narrower than f32, and
 * booleans, are their bits. Addresses are 64-bit integers.
 */
export interface StorageArrays {
  bool: Uint8Array;
  i8: Int8Array;
  u8: Uint8Array;
  i16: Int16Array;
  u16: Uint16Array;
  i32: Int32Array;
  u32: Uint32Array;
  i64: BigInt64Array;
  u64: BigUint64Array;
  f16: Uint16Array;
  bf16: Uint16Array;
  f32: Float32Array;
  f64: Float64Array;
  e4m3: Uint8Array;
  e5m2: Uint8Array;
  addr: BigUint64Array;
}

/** The part that the constructors of all typed arrays share. */
export interface TypedArrayConstructor<A> {
  readonly BYTES_PER_ELEMENT: number;
  new (length: number): A;
  new (buffer: ArrayBufferLike, byteOffset?: number, length?: number): A;
}

/**
 * The constructor of the typed array with the memory representation of a scalar. Elements are in
 * the host's byte order.
 */
export const storageArrays: { readonly [K in ScalarKind]: TypedArrayConstructor<StorageArrays[K]> } = Object.freeze({
  bool: Uint8Array,
  i8: Int8Array,
  u8: Uint8Array,
  i16: Int16Array,
  u16: Uint16Array,
  i32: Int32Array,
  u32: Uint32Array,
  i64: BigInt64Array,
  u64: BigUint64Array,
  f16: Uint16Array,
  bf16: Uint16Array,
  f32: Float32Array,
  f64: Float64Array,
  e4m3: Uint8Array,
  e5m2: Uint8Array,
  addr: BigUint64Array,
});
