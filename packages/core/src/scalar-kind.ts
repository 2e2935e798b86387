/**
 * The scalars of kernels. `addr` is an address or a byte offset. It takes 8 bytes in memory, and is
 * a whole number from 0 to 2^53 - 1 that is computed exactly. `e4m3` and `e5m2` are OCP's 8-bit
 * floats.
 */
export type ScalarKind =
  | 'bool'
  | 'i8'
  | 'u8'
  | 'i16'
  | 'u16'
  | 'i32'
  | 'u32'
  | 'i64'
  | 'u64'
  | 'f16'
  | 'bf16'
  | 'f32'
  | 'f64'
  | 'e4m3'
  | 'e5m2'
  | 'addr';

export type ScalarClass = 'bool' | 'int' | 'float' | 'addr';

interface ScalarSize {
  /** The size in memory in bytes, which is also the alignment. */
  readonly bytes: 1 | 2 | 4 | 8;
  readonly bits: 8 | 16 | 32 | 64;
}

export interface BoolInfo extends ScalarSize {
  readonly class: 'bool';
  readonly signed: false;
  readonly min?: undefined;
  readonly max?: undefined;
}

/** An integer or an address. `min` and `max` are its smallest and largest value. */
export interface IntInfo extends ScalarSize {
  readonly class: 'int' | 'addr';
  readonly signed: boolean;
  readonly min: bigint;
  readonly max: bigint;
}

export interface FloatInfo extends ScalarSize {
  readonly class: 'float';
  readonly signed: true;
  readonly min?: undefined;
  readonly max?: undefined;
  /** The bits of the significand, including the hidden one. */
  readonly significandBits: number;
  readonly maxFinite: number;
  readonly minNormal: number;
  readonly minSubnormal: number;
}

export type ScalarInfo = BoolInfo | IntInfo | FloatInfo;

function int(bytes: 1 | 2 | 4 | 8, signed: boolean): IntInfo {
  const bits = sizeBits[bytes];
  const max = (1n << BigInt(signed ? bits - 1 : bits)) - 1n;
  return Object.freeze({ class: 'int', bytes, bits, signed, min: signed ? -max - 1n : 0n, max });
}

function float(bytes: 1 | 2 | 4 | 8, significandBits: number, maxFinite: number, minNormal: number): FloatInfo {
  const minSubnormal = minNormal * 2 ** (1 - significandBits);
  const bits = sizeBits[bytes];
  return Object.freeze({
    class: 'float',
    bytes,
    bits,
    signed: true,
    significandBits,
    maxFinite,
    minNormal,
    minSubnormal,
  });
}

const sizeBits: Readonly<Record<1 | 2 | 4 | 8, 8 | 16 | 32 | 64>> = { 1: 8, 2: 16, 4: 32, 8: 64 };

/** Size, class and range of every scalar. */
export const scalarInfo: Readonly<Record<ScalarKind, ScalarInfo>> = /* @__PURE__ */ Object.freeze({
  bool: Object.freeze({ class: 'bool', bytes: 1, bits: 8, signed: false } satisfies BoolInfo),
  i8: int(1, true),
  u8: int(1, false),
  i16: int(2, true),
  u16: int(2, false),
  i32: int(4, true),
  u32: int(4, false),
  i64: int(8, true),
  u64: int(8, false),
  f16: float(2, 11, 65504, 2 ** -14),
  bf16: float(2, 8, (2 - 2 ** -7) * 2 ** 127, 2 ** -126),
  f32: float(4, 24, (2 - 2 ** -23) * 2 ** 127, 2 ** -126),
  f64: float(8, 53, Number.MAX_VALUE, 2 ** -1022),
  e4m3: float(1, 4, 448, 2 ** -6),
  e5m2: float(1, 3, 57344, 2 ** -14),
  addr: Object.freeze({
    class: 'addr',
    bytes: 8,
    bits: 64,
    signed: false,
    min: 0n,
    max: BigInt(Number.MAX_SAFE_INTEGER),
  } satisfies IntInfo),
});

/** Every scalar, in the order of the type. */
export const scalarKinds: readonly ScalarKind[] = Object.freeze([
  'bool',
  'i8',
  'u8',
  'i16',
  'u16',
  'i32',
  'u32',
  'i64',
  'u64',
  'f16',
  'bf16',
  'f32',
  'f64',
  'e4m3',
  'e5m2',
  'addr',
]);

/** True if `value` is the name of a scalar. */
export function isScalarKind(value: unknown): value is ScalarKind {
  return typeof value === 'string' && Object.hasOwn(scalarInfo, value);
}
