import { roundMagnitude, roundValue } from './impl/round-magnitude.ts';

let table: Float32Array | undefined;

function decode(bits: number): number {
  const exponent = (bits >>> 10) & 0x1f;
  const mantissa = bits & 0x3ff;
  const magnitude =
    exponent === 0x1f
      ? mantissa === 0
        ? Infinity
        : NaN
      : exponent === 0
        ? mantissa * 2 ** -24
        : (mantissa + 0x400) * 2 ** (exponent - 25);
  return bits & 0x8000 ? -magnitude : magnitude;
}

/**
 * The value of every 16-bit pattern as an f16, by pattern. The table (256 KiB) is built on first
 * use and shared. Do not write to it.
 */
export function f16DecodeTable(): Float32Array {
  if (table === undefined) {
    table = new Float32Array(0x10000);
    for (let bits = 0; bits < 0x10000; bits++) table[bits] = decode(bits);
  }
  return table;
}

/** The value of an f16. Bits above the lower 16 are ignored. */
export function f16ToNumber(bits: number): number {
  return decode(bits);
}

/**
 * The bits of the f16 nearest to `x`, ties to even, rounded once. From 65520 on the result is
 * infinite. Every NaN becomes 0x7fff, as on NVIDIA GPUs.
 */
export function numberToF16(x: number): number {
  if (x !== x) return 0x7fff;
  const bits = roundMagnitude(x, 10, 15);
  const sign = x < 0 || (x === 0 && 1 / x < 0) ? 0x8000 : 0;
  return sign | (bits > 0x7c00 ? 0x7c00 : bits);
}

/** The value of the f16 nearest to `x`. Equals `f16ToNumber(numberToF16(x))`, but is faster. */
export function roundToF16(x: number): number {
  const rounded = roundValue(x, 10, -14, 15);
  return rounded > 65504 ? Infinity : rounded < -65504 ? -Infinity : rounded;
}
