import { encodeArray, reading, scalarInfo } from '@nccl-ts/core';
import type { ScalarKind } from '@nccl-ts/core';
import { alternatives, shown, withArticle } from '../describe.ts';
import { invalidArgument } from '../errors.ts';

/**
 * Data that the host may write to memory. The values of a plain array are converted to the memory's
 * type. Typed arrays are copied unchanged, with one exception: a `Float32Array` is rounded to
 * nearest even if the memory holds smaller floats (f16, bf16, 8-bit).
 */
export type HostData = ArrayBufferView | ArrayBuffer | readonly number[] | readonly bigint[] | readonly boolean[];

/**
 * The typed arrays whose bytes are elements of the type. `Uint8Array`s and other raw bytes are
 * allowed for memory of any type.
 */
const sameBytes: Readonly<Record<ScalarKind, readonly string[]>> = {
  bool: [],
  i8: ['Int8Array'],
  u8: [],
  i16: ['Int16Array'],
  u16: ['Uint16Array'],
  i32: ['Int32Array'],
  u32: ['Uint32Array'],
  i64: ['BigInt64Array'],
  u64: ['BigUint64Array'],
  f16: ['Uint16Array', 'Float16Array'],
  bf16: ['Uint16Array'],
  f32: ['Float32Array'],
  f64: ['Float64Array'],
  e4m3: [],
  e5m2: [],
  addr: ['BigUint64Array'],
};

const rawBytes: readonly string[] = ['Uint8Array', 'Uint8ClampedArray', 'DataView'];

/**
 * Returns the bytes of `data` for memory of type `kind`, or of any type if `kind` is undefined. It
 * copies them only if a conversion is needed.
 *
 * @throws NcclError `NCCL_INVALID_ARGUMENT` if the memory does not accept such data, or a value
 *   does not fit.
 */
export function encoded(kind: ScalarKind | undefined, data: HostData, what: string): ArrayBufferView {
  return reading(what, () => bytesOf(kind, data, what));
}

function bytesOf(kind: ScalarKind | undefined, data: HostData, what: string): ArrayBufferView {
  if (ArrayBuffer.isView(data)) {
    const array = tagOf(data);
    if (kind === undefined || rawBytes.includes(array) || sameBytes[kind].includes(array)) return data;
    if (isSmallFloat(kind) && data instanceof Float32Array) return encodeArray(kind, data);
  } else if (isValues(data)) {
    return encodeArray(kind ?? 'u8', data);
  } else if (tagOf(data) === 'ArrayBuffer' || tagOf(data) === 'SharedArrayBuffer') {
    return new Uint8Array(data);
  }
  throw invalidArgument(`${what}: data must be ${allowedData(kind)}; given ${shown(data)}.`);
}

function isValues(data: HostData): data is readonly number[] | readonly bigint[] | readonly boolean[] {
  return Array.isArray(data);
}

function isSmallFloat(kind: ScalarKind): boolean {
  const info = scalarInfo[kind];
  return info.class === 'float' && info.bytes < 4;
}

function allowedData(kind: ScalarKind | undefined): string {
  const bytes = 'raw bytes (a Uint8Array, a DataView, an ArrayBuffer)';
  if (kind === undefined) return alternatives(['a typed array', bytes, 'an array of byte values']);
  const names = [...(isSmallFloat(kind) ? ['Float32Array'] : []), ...sameBytes[kind]].map(withArticle);
  return `${alternatives([...names, 'an array of values', bytes])} for ${kind}`;
}

/** Returns `Float32Array` and so on, also for objects of another realm. */
function tagOf(value: unknown): string {
  return Object.prototype.toString.call(value).slice(8, -1);
}
