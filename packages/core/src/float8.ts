import { roundMagnitude, roundValue } from './impl/round-magnitude.ts';

let e4m3Table: Float32Array | undefined;
let e5m2Table: Float32Array | undefined;

/**
 * The value of every 8-bit pattern as an e4m3, by pattern. The table is built on first use and
 * shared. Do not write to it.
 */
export function e4m3DecodeTable(): Float32Array {
  if (e4m3Table === undefined) {
    e4m3Table = new Float32Array(256);
    for (let bits = 0; bits < 256; bits++) e4m3Table[bits] = decodeE4m3(bits);
  }
  return e4m3Table;
}

/**
 * The value of every 8-bit pattern as an e5m2, by pattern. The table is built on first use and
 * shared. Do not write to it.
 */
export function e5m2DecodeTable(): Float32Array {
  if (e5m2Table === undefined) {
    e5m2Table = new Float32Array(256);
    for (let bits = 0; bits < 256; bits++) e5m2Table[bits] = decodeE5m2(bits);
  }
  return e5m2Table;
}

function decodeE4m3(bits: number): number {
  const exponent = (bits >>> 3) & 0xf;
  const mantissa = bits & 7;
  const magnitude =
    (bits & 0x7f) === 0x7f ? NaN : exponent === 0 ? mantissa * 2 ** -9 : (mantissa + 8) * 2 ** (exponent - 10);
  return bits & 0x80 ? -magnitude : magnitude;
}

function decodeE5m2(bits: number): number {
  const exponent = (bits >>> 2) & 0x1f;
  const mantissa = bits & 3;
  const magnitude =
    exponent === 0x1f
      ? mantissa === 0
        ? Infinity
        : NaN
      : exponent === 0
        ? mantissa * 2 ** -16
        : (mantissa + 4) * 2 ** (exponent - 17);
  return bits & 0x80 ? -magnitude : magnitude;
}

/**
 * The value of an OCP E4M3 float. It has no infinities, and one NaN for each sign. Bits above the
 * lower 8 are ignored.
 */
export function e4m3ToNumber(bits: number): number {
  return decodeE4m3(bits);
}

/**
 * The bits of the e4m3 nearest to `x`, ties to even, rounded once. Values above 448, including
 * infinity, become 448. Every NaN becomes 0x7f.
 *
 * @see __nv_fp8_e4m3
 */
export function numberToE4m3(x: number): number {
  if (x !== x) return 0x7f;
  const bits = roundMagnitude(x, 3, 7);
  const sign = x < 0 || (x === 0 && 1 / x < 0) ? 0x80 : 0;
  return sign | (bits > 0x7e ? 0x7e : bits);
}

/** The value of the e4m3 nearest to `x`. Equals `e4m3ToNumber(numberToE4m3(x))`, but is faster. */
export function roundToE4m3(x: number): number {
  const rounded = roundValue(x, 3, -6, 8);
  return rounded > 448 ? 448 : rounded < -448 ? -448 : rounded;
}

/** The value of an OCP E5M2 float. Bits above the lower 8 are ignored. */
export function e5m2ToNumber(bits: number): number {
  return decodeE5m2(bits);
}

/**
 * The bits of the e5m2 nearest to `x`, ties to even, rounded once, saturating: past 57344, infinity
 * included, it is
 * 57344. Every NaN gives 0x7f.
 *
 * @see __nv_fp8_e5m2
 */
export function numberToE5m2(x: number): number {
  if (x !== x) return 0x7f;
  const bits = roundMagnitude(x, 2, 15);
  const sign = x < 0 || (x === 0 && 1 / x < 0) ? 0x80 : 0;
  return sign | (bits > 0x7b ? 0x7b : bits);
}

/** The value of the e5m2 nearest to `x`. Equals `e5m2ToNumber(numberToE5m2(x))`, but is faster. */
export function roundToE5m2(x: number): number {
  const rounded = roundValue(x, 2, -14, 15);
  return rounded > 57344 ? 57344 : rounded < -57344 ? -57344 : rounded;
}
