import { scalarInfo, type ScalarKind } from '@nccl-ts/core';

/** `significand * 2^exponent`. */
export interface Exact {
  readonly significand: bigint;
  readonly exponent: number;
}

/** Converts a finite number to an exact one, by doubling it until it is whole. */
export function exact(value: number): Exact {
  let scaled = value;
  let exponent = 0;
  while (!Number.isInteger(scaled)) {
    scaled *= 2;
    exponent--;
  }
  return { significand: BigInt(scaled), exponent };
}

export function product(a: Exact, b: Exact): Exact {
  return { significand: a.significand * b.significand, exponent: a.exponent + b.exponent };
}

export function sum(a: Exact, b: Exact): Exact {
  const exponent = Math.min(a.exponent, b.exponent);
  const align = (x: Exact): bigint => x.significand << BigInt(x.exponent - exponent);
  return { significand: align(a) + align(b), exponent };
}

/**
 * The value of the float `kind` nearest to `x`, ties to even. It is found by exact comparison with
 * both neighbours.
 */
export function nearest(kind: ScalarKind, x: Exact): number {
  const info = scalarInfo[kind];
  if (info.class !== 'float') throw new Error('a float is needed');
  if (x.significand === 0n) return 0;
  const negative = x.significand < 0n;
  const magnitude: Exact = { ...x, significand: negative ? -x.significand : x.significand };
  const top = magnitude.significand.toString(2).length - 1 + x.exponent;
  const unit = Math.max(top, Math.log2(info.minNormal)) - (info.significandBits - 1);
  const shift = x.exponent - unit;
  let steps = shift >= 0 ? magnitude.significand << BigInt(shift) : magnitude.significand >> BigInt(-shift);
  if (shift < 0) {
    const twice = (magnitude.significand - (steps << BigInt(-shift))) * 2n;
    const whole = 1n << BigInt(-shift);
    if (twice > whole || (twice === whole && steps % 2n === 1n)) steps += 1n;
  }
  const scale = Math.max(unit, -1000);
  const value = Number(steps) * 2 ** (unit - scale) * 2 ** scale;
  const bounded = value > info.maxFinite ? Infinity : value;
  return negative ? -bounded : bounded;
}
