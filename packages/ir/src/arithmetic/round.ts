import { roundToBf16, roundToE4m3, roundToE5m2, roundToF16, scalarInfo, type ScalarKind } from '@nccl-ts/core';

type RoundFunction = (value: number) => number;

const same: RoundFunction = (value) => value;

const rounding: Readonly<Record<ScalarKind, RoundFunction | undefined>> = {
  bool: undefined,
  i8: (value) => (value << 24) >> 24,
  u8: (value) => value & 0xff,
  i16: (value) => (value << 16) >> 16,
  u16: (value) => value & 0xffff,
  i32: (value) => value | 0,
  u32: (value) => value >>> 0,
  i64: undefined,
  u64: undefined,
  f16: roundToF16,
  bf16: roundToBf16,
  f32: Math.fround,
  f64: same,
  e4m3: roundToE4m3,
  e5m2: roundToE5m2,
  addr: undefined,
};

/**
 * Rounds to the nearest value of the float `kind`, ties to even. e4m3 and e5m2 saturate. Other
 * kinds keep `value`.
 */
export function roundFloat(kind: ScalarKind, value: number): number {
  return scalarInfo[kind].class === 'float' ? (rounding[kind] ?? same)(value) : value;
}

/**
 * Wraps a whole number modulo 2^N into the integer `kind` of up to 32 bits. Other kinds keep
 * `value`.
 */
export function wrapNumber(kind: ScalarKind, value: number): number {
  return scalarInfo[kind].class === 'int' ? (rounding[kind] ?? same)(value) : value;
}

/** Wraps `value` modulo 2^N into the integer `kind`. */
export function wrapBigint(kind: ScalarKind, value: bigint): bigint {
  const { bits, signed } = scalarInfo[kind];
  return signed ? BigInt.asIntN(bits, value) : BigInt.asUintN(bits, value);
}
