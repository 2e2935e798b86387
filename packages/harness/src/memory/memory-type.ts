import { NcclError } from '@nccl-ts/core';
import type { ImageWriter } from './memory-image.ts';

/**
 * The representation of a type's values in GPU memory, with C++'s layout. Call it with a value to
 * attach the type, for arguments and fields that have no type themselves: `f32(1)`, `RankData({
 * ptrs })`.
 */
export interface MemoryType<V = never> {
  (value: V): TypedValue;
  readonly kind: 'type';
  /** The name in messages: `u32`, `f32[8]`, `struct { flag: u32 }`. */
  readonly typeName: string;
  readonly bytes: number;
  readonly align: number;
  /**
   * Writes a value to byte `at`.
   *
   * @throws NcclError `NCCL_INVALID_ARGUMENT` if `value` is not of the type. Its message calls the
   * value `what`.
   */
  readonly encode: (into: ImageWriter, at: number, value: unknown, what: string) => void;
  /** Reads the number at byte `at`. Absent for types that are not numbers. */
  readonly decode?: (from: DataView, at: number) => number | bigint;
  /**
   * Words that are the same in every value. If the value is an argument, branches on them are
   * decided when the kernel is translated.
   */
  readonly known?: readonly KnownWord[];
  /**
   * The byte offsets of addresses that point into a range of several allocations. Such an address
   * plus an offset may point into any of them.
   */
  readonly ranges?: readonly number[];
}

/** A word that is the same in every value of a type. */
export interface KnownWord {
  /** The offset in bytes from the beginning of the value. */
  readonly offset: number;
  readonly value: bigint;
}

/** A value and its type. */
export interface TypedValue {
  readonly kind: 'value';
  readonly type: MemoryType;
  readonly value: unknown;
}

/** A value of a type that is known, for a field of a struct: `struct({ comm: comm.type })`. */
export interface TypedValueOf<V> extends TypedValue {
  readonly type: MemoryType<V>;
}

type TypeParts = Pick<MemoryType, 'typeName' | 'bytes' | 'align' | 'encode'> &
  Partial<Pick<MemoryType, 'decode' | 'known' | 'ranges'>>;

export function memoryType<V>(parts: TypeParts): MemoryType<V> {
  return memoryTypeWith<V, object>(parts, {});
}

/** A memory type with additional properties. */
export function memoryTypeWith<V, const E extends object>(parts: TypeParts, extra: E): MemoryType<V> & Readonly<E> {
  const make = (value: V): TypedValue => ({ kind: 'value', type, value });
  const type = Object.freeze(Object.assign(make, { kind: 'type', ...parts } as const, extra));
  return type;
}

export function isMemoryType(value: unknown): value is MemoryType {
  return typeof value === 'function' && 'kind' in value && value.kind === 'type' && 'encode' in value;
}

export function isTypedValue(value: unknown): value is TypedValue {
  return typeof value === 'object' && value !== null && 'kind' in value && value.kind === 'value' && 'type' in value;
}

/** The smallest multiple of `align` that is not below `at`. */
export function aligned(at: number, align: number): number {
  return Math.ceil(at / align) * align;
}

export function invalid(message: string): NcclError {
  return new NcclError('NCCL_INVALID_ARGUMENT', message);
}

/**
 * Encodes an element at a byte of the image. There may be millions, so `what` names the element for
 * the error only if its value is wrong.
 */
export function encodeElement(
  image: ImageWriter,
  type: MemoryType,
  at: number,
  value: unknown,
  what: () => string,
): void {
  try {
    type.encode(image, at, value, '');
  } catch {
    type.encode(image, at, value, what());
  }
}
