import { expectInteger, showValue } from '@nccl-ts/core';
import type { ImageWriter } from './memory/memory-image.ts';
import { aligned, invalid, isMemoryType, memoryType, memoryTypeWith, type MemoryType } from './memory/memory-type.ts';

/** The type of a type's values. */
export type ValueOf<T> = T extends MemoryType<infer V> ? V : never;

/** The types of a struct's fields, by name. */
export type Fields = Readonly<Record<string, MemoryType>>;

/** Fields may be omitted. Their bytes are then zero. */
export type StructValue<F> = { readonly [Name in keyof F]?: ValueOf<F[Name]> };

/** The type of a struct. */
export interface StructType<F extends Fields = Fields> extends MemoryType<StructValue<F>> {
  /** The offsets in bytes, by field. */
  readonly offsets: ReadonlyMap<string, number>;
}

/**
 * Makes a struct with C++'s layout. Fields are in the given order, each at the next multiple of its
 * alignment. The size is a multiple of the largest alignment. `align` corresponds to `alignas`.
 *
 * @example
 * const Signal = struct({ start: array(u32, 8), end: array(u32, 8) }, { align: 128 });
 */
export function struct<const F extends Fields>(fields: F, options: { readonly align?: number } = {}): StructType<F> {
  const types = new Map<string, MemoryType>();
  for (const [name, type] of Object.entries(fields)) {
    if (!isMemoryType(type))
      throw invalid(`struct: field ${name} must be a type such as u32 or ptr; given ${showValue(type)}.`);
    types.set(name, type);
  }
  const offsets = new Map<string, number>();
  const placed: { readonly name: string; readonly type: MemoryType; readonly start: number }[] = [];
  let end = 0;
  let align = alignment(options.align ?? 1, 'struct');
  for (const [name, type] of types) {
    const at = aligned(end, type.align);
    offsets.set(name, at);
    placed.push({ name, type, start: at });
    end = at + type.bytes;
    align = Math.max(align, type.align);
  }
  const known = placed.flatMap(({ type, start }) =>
    (type.known ?? []).map(({ offset, value }) => ({ offset: start + offset, value })),
  );
  const ranges = placed.flatMap(({ type, start }) => (type.ranges ?? []).map((offset) => start + offset));
  const parts = {
    known,
    ranges,
    typeName: `struct { ${[...types].map(([name, { typeName }]) => `${name}: ${typeName}`).join('; ')} }`,
    bytes: aligned(end, align),
    align,
    encode: (into: ImageWriter, at: number, value: unknown, what: string): void => {
      if (typeof value !== 'object' || value === null) {
        throw invalid(`${what} must be an object with ${[...types.keys()].join(', ')}; given ${showValue(value)}.`);
      }
      const unknown = Object.keys(value).find((name) => !types.has(name));
      if (unknown !== undefined) {
        throw invalid(
          `${what} has a field ${unknown} that the struct has not; it has ${[...types.keys()].join(', ')}.`,
        );
      }
      for (const { name, type, start } of placed) {
        const member: unknown = Reflect.get(value, name);
        if (member !== undefined) type.encode(into, at + start, member, `${what}.${name}`);
      }
    },
  };
  return memoryTypeWith<StructValue<F>, { offsets: ReadonlyMap<string, number> }>(parts, { offsets });
}

/** Makes an array of `length` elements. Elements that a value omits at its end are zero. */
export function array<V>(type: MemoryType<V>, length: number): MemoryType<ArrayLike<V>> {
  if (!isMemoryType(type))
    throw invalid(`array: the first argument must be a type such as u32; given ${showValue(type)}.`);
  expectInteger('array: length', length, 1);
  return memoryType<ArrayLike<V>>({
    typeName: `${type.typeName}[${length}]`,
    bytes: type.bytes * length,
    align: type.align,
    encode: (into, at, values, what) => {
      if (!isArrayLike(values) || values.length > length) {
        throw invalid(
          `${what} must be an array of at most ${length} elements (${type.typeName}); given ${showValue(values)}.`,
        );
      }
      for (let i = 0; i < values.length; i++) {
        const value = values[i];
        if (value !== undefined) type.encode(into, at + i * type.bytes, value, `${what}[${i}]`);
      }
    },
  });
}

/** Gives a type a larger alignment, like `alignas` for one field. Its size does not change. */
export function alignedTo<V>(type: MemoryType<V>, align: number): MemoryType<V> {
  const { typeName, bytes: size, encode, decode } = type;
  const least = Math.max(type.align, alignment(align, 'alignedTo'));
  return memoryType<V>({ typeName, bytes: size, align: least, encode, ...(decode === undefined ? {} : { decode }) });
}

export function isArrayLike(value: unknown): value is ArrayLike<unknown> {
  if (typeof value !== 'object' || value === null) return false;
  return 'length' in value && typeof value.length === 'number';
}

/** Makes a gap of `length` bytes. A value may set some of them. */
export function bytes(length: number, align: number = 1): MemoryType<Uint8Array> {
  expectInteger('bytes: length', length, 1);
  return memoryType<Uint8Array>({
    typeName: `bytes(${length})`,
    bytes: length,
    align: alignment(align, 'bytes'),
    encode: (into, at, value, what) => {
      if (!(value instanceof Uint8Array) || value.length > length) {
        throw invalid(`${what} must be a Uint8Array of at most ${length} bytes; given ${showValue(value)}.`);
      }
      into.bytes.set(value, at);
    },
  });
}

function alignment(align: number, what: string): number {
  if (Number.isSafeInteger(align) && align >= 1 && (align & (align - 1)) === 0) return align;
  throw invalid(`${what}: align must be a power of two; given ${showValue(align)}.`);
}
