import type { ScalarKind } from '@nccl-ts/core';
import { roundFloat } from './round.ts';

/** `a * b + c` of three values of the float `kind`, rounded once. */
export function fusedMultiplyAdd(kind: ScalarKind, a: number, b: number, c: number): number {
  return kind === 'f64' ? ofDoubles(a, b, c) : roundFloat(kind, addToOdd(a * b, c));
}

const bytes: DataView = /* @__PURE__ */ new DataView(new ArrayBuffer(8));

/**
 * `x + y` rounded to odd. If the sum is not exact, this is the adjacent double whose last bit is
 * set. Rounding the result to a type of up to 50 bits is then the same as rounding the sum itself.
 * `x` is a product of narrow floats, so it is exact.
 */
function addToOdd(x: number, y: number): number {
  const sum = x + y;
  if (!Number.isFinite(sum)) return sum;
  // The rounding error of the addition, exactly (Knuth's two-sum).
  const yRounded = sum - x;
  const lost = x - (sum - yRounded) + (y - yRounded);
  if (lost === 0) return sum;
  bytes.setFloat64(0, sum);
  const bits = bytes.getBigInt64(0);
  if ((bits & 1n) === 1n) return sum;
  bytes.setBigInt64(0, lost > 0 === sum > 0 ? bits + 1n : bits - 1n);
  return bytes.getFloat64(0);
}

function ofDoubles(a: number, b: number, c: number): number {
  if (!Number.isFinite(a) || !Number.isFinite(b)) return a * b + c;
  if (!Number.isFinite(c)) return c;
  // The product is exactly zero, so only the signs of zeros matter, and the plain sum has them
  // right.
  if (a === 0 || b === 0) return a * b + c;
  const x = decompose(a);
  const y = decompose(b);
  const z = decompose(c);
  const exponent = Math.min(x.exponent + y.exponent, z.exponent);
  const product = (x.significand * y.significand) << BigInt(x.exponent + y.exponent - exponent);
  const sum = product + (z.significand << BigInt(z.exponent - exponent));
  return compose(sum, exponent);
}

/** `value` as `significand * 2^exponent`, exactly. */
function decompose(value: number): { readonly significand: bigint; readonly exponent: number } {
  bytes.setFloat64(0, value);
  const bits = bytes.getBigUint64(0);
  const fraction = bits & ((1n << 52n) - 1n);
  const biased = Number((bits >> 52n) & 0x7ffn);
  const magnitude = biased === 0 ? fraction : fraction | (1n << 52n);
  return { significand: value < 0 ? -magnitude : magnitude, exponent: Math.max(biased, 1) - 1075 };
}

/** The double nearest to `significand * 2^exponent`, ties to even; an exact zero is +0. */
function compose(significand: bigint, exponent: number): number {
  if (significand === 0n) return 0;
  const magnitude = significand < 0n ? -significand : significand;
  const { length } = magnitude.toString(2);
  // The exponent of the last bit that the result can hold. For a subnormal it is fixed.
  const last = Math.max(length + exponent - 53, -1074);
  const drop = last - exponent;
  let kept = drop > 0 ? magnitude >> BigInt(drop) : magnitude << BigInt(-drop);
  if (drop > 0) {
    const rest = magnitude - (kept << BigInt(drop));
    const half = 1n << BigInt(drop - 1);
    if (rest > half || (rest === half && (kept & 1n) === 1n)) kept += 1n;
  }
  // Two steps, because 2^last alone may be out of range even if the result is not.
  const first = Math.max(last, -1022);
  const result = Number(kept) * 2 ** (last - first) * 2 ** first;
  return significand < 0n ? -result : result;
}
