import { bf16ToNumber, numberToBf16 } from './bfloat16.ts';
import { f16DecodeTable, numberToF16 } from './float16.ts';
import { e4m3DecodeTable, e5m2DecodeTable, numberToE4m3, numberToE5m2 } from './float8.ts';
import { NcclError } from './nccl-error.ts';
import { scalarInfo } from './scalar-kind.ts';
import type { ScalarKind } from './scalar-kind.ts';
import { showValue } from './show-value.ts';
import { storageArrays } from './typed-array.ts';
import type { StorageArrays } from './typed-array.ts';

/** The array that `decodeArray` returns. Its elements are the scalar's values. */
export interface ValueArrays extends Omit<StorageArrays, 'f16' | 'bf16' | 'e4m3' | 'e5m2' | 'addr'> {
  f16: Float32Array;
  bf16: Float32Array;
  e4m3: Float32Array;
  e5m2: Float32Array;
  addr: Float64Array;
}

type Encode = (value: number) => number;

const narrowFloats: Readonly<Record<'f16' | 'bf16' | 'e4m3' | 'e5m2', Encode>> = Object.freeze({
  f16: numberToF16,
  bf16: numberToBf16,
  e4m3: numberToE4m3,
  e5m2: numberToE5m2,
});

/**
 * Encodes values in their memory representation. Floats round to nearest even, and 8-bit floats
 * saturate. Integers and addresses must be whole and in range. Booleans may be `true`, `false`, 0
 * or 1.
 *
 * @throws NcclError `NCCL_INVALID_ARGUMENT` for a value that the scalar does not have.
 */
export function encodeArray<K extends ScalarKind>(
  kind: K,
  values: ArrayLike<number | bigint | boolean>,
): StorageArrays[K] {
  const out = new storageArrays[kind](values.length);
  fill(kind, out, values);
  return out;
}

function fill(kind: ScalarKind, out: StorageArrays[ScalarKind], values: ArrayLike<number | bigint | boolean>): void {
  const wide = out instanceof BigInt64Array || out instanceof BigUint64Array;
  for (let i = 0; i < values.length; i++) {
    const value = values[i];
    if (wide) out[i] = wholeValue(kind, value, i);
    else out[i] = storedNumber(kind, value, i);
  }
}

function storedNumber(kind: ScalarKind, value: unknown, index: number): number {
  switch (kind) {
    case 'f16':
    case 'bf16':
    case 'e4m3':
    case 'e5m2':
      return narrowFloats[kind](floatValue(kind, value, index));
    case 'f32':
    case 'f64':
      return floatValue(kind, value, index);
    case 'bool':
      if (value === true || value === 1) return 1;
      if (value === false || value === 0) return 0;
      throw unfit(kind, value, index, 'true, false, 1 or 0');
    case 'i8':
    case 'u8':
    case 'i16':
    case 'u16':
    case 'i32':
    case 'u32':
    case 'i64':
    case 'u64':
    case 'addr':
      return Number(wholeValue(kind, value, index));
  }
}

function floatValue(kind: ScalarKind, value: unknown, index: number): number {
  if (typeof value === 'number') return value;
  throw unfit(kind, value, index, 'a number');
}

function wholeValue(kind: ScalarKind, value: unknown, index: number): bigint {
  const { min = 0n, max = 0n } = scalarInfo[kind];
  const whole =
    typeof value === 'bigint'
      ? value
      : typeof value === 'number' && Number.isInteger(value)
        ? BigInt(value)
        : undefined;
  if (whole !== undefined && whole >= min && whole <= max) return whole;
  throw unfit(kind, value, index, `a whole number from ${min} to ${max}`);
}

function unfit(kind: ScalarKind, value: unknown, index: number, allowed: string): NcclError {
  const message = `Element ${index} of an array of ${kind} must be ${allowed}; given ${showValue(value)}.`;
  return new NcclError('NCCL_INVALID_ARGUMENT', message, { details: { kind, index, given: value } });
}

/**
 * Decodes all of `bytes`, of any typed array, to a new array. The result is exact, except that an
 * address above 2^53 - 1 is rounded.
 *
 * @throws NcclError `NCCL_INVALID_ARGUMENT` if the bytes are not a whole number of elements.
 */
export function decodeArray<K extends ScalarKind>(kind: K, bytes: ArrayBufferLike | ArrayBufferView): ValueArrays[K];
export function decodeArray(kind: ScalarKind, bytes: ArrayBufferLike | ArrayBufferView): ValueArrays[ScalarKind] {
  const size = scalarInfo[kind].bytes;
  if (bytes.byteLength % size !== 0) {
    throw new NcclError(
      'NCCL_INVALID_ARGUMENT',
      `Decoding ${kind} takes a multiple of ${size} bytes; given ${bytes.byteLength}.`,
      { details: { kind, given: bytes.byteLength } },
    );
  }
  // This copies, because the result must not alias the source, whose offset may also be misaligned.
  const source = ArrayBuffer.isView(bytes)
    ? new Uint8Array(bytes.buffer, bytes.byteOffset, bytes.byteLength)
    : new Uint8Array(bytes);
  const stored = new storageArrays[kind](new Uint8Array(source).buffer);
  switch (kind) {
    case 'f16':
      return decodeByTable(stored, f16DecodeTable());
    case 'e4m3':
      return decodeByTable(stored, e4m3DecodeTable());
    case 'e5m2':
      return decodeByTable(stored, e5m2DecodeTable());
    case 'bf16':
      return decodeInto(new Float32Array(stored.length), stored, bf16ToNumber);
    case 'addr':
      return decodeInto(new Float64Array(stored.length), stored, (address) => address);
    case 'bool':
    case 'i8':
    case 'u8':
    case 'i16':
    case 'u16':
    case 'i32':
    case 'u32':
    case 'i64':
    case 'u64':
    case 'f32':
    case 'f64':
      return stored;
  }
}

function decodeByTable(stored: StorageArrays[ScalarKind], table: Float32Array): Float32Array {
  return decodeInto(new Float32Array(stored.length), stored, (bits) => table[bits] ?? NaN);
}

function decodeInto<A extends Float32Array | Float64Array>(
  values: A,
  stored: StorageArrays[ScalarKind],
  decode: (bits: number) => number,
): A {
  for (let i = 0; i < values.length; i++) values[i] = decode(Number(stored[i]));
  return values;
}
