import { numberToE5m2 } from '@nccl-ts/core';
import { oneNaN, scalarMath } from '@nccl-ts/ir';

import type { SupportFunctions } from './support-functions.ts';

const words = new BigInt64Array(1);
const double = new Float64Array(words.buffer);

/**
 * Returns `sum`, an inexact double, or its neighbour towards `lost`, whichever is odd in its last
 * bit.
 */
function toOdd(sum: number, lost: number): number {
  if (lost === 0 || !Number.isFinite(sum)) return sum;
  double[0] = sum;
  const bits = words[0] ?? 0n;
  if ((bits & 1n) === 1n) return sum;
  words[0] = lost > 0 === sum > 0 ? bits + 1n : bits - 1n;
  return double[0];
}

const single = new Float32Array(1);
const singleBits = new Uint32Array(single.buffer);

/** Returns the bits of a number that is already a bf16, so that it needs no rounding. */
export function bf16Bits(x: number): number {
  if (x !== x) return 0x7fff;
  single[0] = x;
  return (singleBits[0] ?? 0) >>> 16;
}

/** Returns the bits of a number that is already an f16. */
export function f16Bits(x: number): number {
  if (x !== x) return 0x7fff;
  single[0] = x;
  const bits = singleBits[0] ?? 0;
  const sign = (bits >>> 16) & 0x8000;
  const magnitude = bits & 0x7fffffff;
  if (magnitude >= 0x7f800000) return sign | 0x7c00;
  // From 2^-14 the exponent only needs another bias. Below that, f16 counts in steps of 2^-24.
  return sign | (magnitude >= 0x38800000 ? (magnitude - 0x38000000) >>> 13 : Math.abs(x) * 2 ** 24);
}

/**
 * Returns the bits of a number that is already an e5m2. This includes infinities, which conversions
 * never produce.
 */
export function e5m2Bits(x: number): number {
  return x === Infinity ? 0x7c : x === -Infinity ? 0xfc : numberToE5m2(x);
}

/** Returns a double that rounds to narrower floats as the 64-bit integer itself would. */
export function bigToOdd(a: bigint): number {
  const sum = Number(a);
  const lost = a - BigInt(sum);
  return toOdd(sum, lost === 0n ? 0 : lost > 0n ? 1 : -1);
}

/**
 * Functions that generated code calls for arithmetic. They are small, so that engines inline them.
 */
export const arithmetic: SupportFunctions = {
  oneNaN,
  floatMin: (a: number, b: number): number => (a !== a ? b : b !== b ? a : Math.min(a, b)),
  floatMax: (a: number, b: number): number => (a !== a ? b : b !== b ? a : Math.max(a, b)),
  bigMin: (a: bigint, b: bigint): bigint => (a < b ? a : b),
  bigMax: (a: bigint, b: bigint): bigint => (a > b ? a : b),
  bigAbs: (a: bigint): bigint => (a < 0n ? -a : a),

  popcount: (a: number, bits: number): number => {
    let rest = bits === 32 ? a : a & ((1 << bits) - 1);
    let count = 0;
    for (; rest !== 0; rest &= rest - 1) count++;
    return count;
  },
  clz: (a: number, bits: number): number => Math.clz32(bits === 32 ? a : a & ((1 << bits) - 1)) - (32 - bits),
  ctz: (a: number, bits: number): number => {
    const low = bits === 32 ? a : a & ((1 << bits) - 1);
    return low === 0 ? bits : 31 - Math.clz32(low & -low);
  },
  popcountBig: (a: bigint): bigint => {
    let count = 0n;
    for (let rest = BigInt.asUintN(64, a); rest !== 0n; rest &= rest - 1n) count++;
    return count;
  },
  clzBig: (a: bigint): bigint => {
    const value = BigInt.asUintN(64, a);
    return value === 0n ? 64n : BigInt(64 - value.toString(2).length);
  },
  ctzBig: (a: bigint): bigint => {
    const value = BigInt.asUintN(64, a);
    return value === 0n ? 64n : BigInt((value & -value).toString(2).length - 1);
  },

  saturate: (a: number, least: number, most: number): number =>
    a !== a ? 0 : a <= least ? least : a >= most ? most : Math.trunc(a),
  saturateBig: (a: number, least: bigint, most: bigint): bigint => {
    if (a !== a) return 0n;
    if (a <= Number(least)) return least;
    return a >= Number(most) ? most : BigInt(Math.trunc(a));
  },
  bigToOdd,

  /**
   * Computes `a * b + c` for floats of up to 24 bits, such that rounding the result equals rounding
   * the exact one.
   */
  fmaOdd: (a: number, b: number, c: number): number => {
    const product = a * b;
    const sum = product + c;
    const rounded = sum - product;
    return oneNaN(toOdd(sum, product - (sum - rounded) + (c - rounded)));
  },
  fma64: (a: number, b: number, c: number): number => Number(scalarMath('fma', 'f64', [a, b, c])),
  /** C's `pow`. Unlike in JavaScript, any power of 1 is 1, and so is -1 to an infinite power. */
  power: (base: number, exponent: number): number =>
    base === 1 || (base === -1 && Math.abs(exponent) === Infinity) ? 1 : oneNaN(base ** exponent),
  roundEven: (a: number): number => {
    const rounded = Math.round(a);
    // Math.round rounds halves up, but the even neighbour is needed.
    return rounded - a === 0.5 && rounded % 2 !== 0 ? rounded - 1 : rounded === 0 ? a * 0 : rounded;
  },
};
