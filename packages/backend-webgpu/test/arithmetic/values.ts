import { scalarInfo, type ScalarKind } from '@nccl-ts/core';
import { isWide, readScalar, roundFloat, type ScalarValue } from '@nccl-ts/ir';

const scratch = new DataView(new ArrayBuffer(8));

/** Seeded random words (xorshift32). */
export function randomWords(seed: number): () => number {
  let state = seed;
  return () => {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    return state >>> 0;
  };
}

/** Values of a kind where operations go wrong first. */
export function corners(kind: ScalarKind): readonly ScalarValue[] {
  const info = scalarInfo[kind];
  switch (info.class) {
    case 'bool':
      return [false, true];
    case 'int':
    case 'addr':
      return integers(kind, info.min, info.max);
    case 'float':
      return floats(kind, info.maxFinite, info.minNormal, info.minSubnormal);
  }
}

function integers(kind: ScalarKind, min: bigint, max: bigint): readonly ScalarValue[] {
  const all = new Set<bigint>();
  for (const power of [0, 1, 2, 3, 7, 8, 15, 16, 17, 23, 24, 25, 31, 32, 33, 40, 47, 48, 52, 53, 62, 63, 64]) {
    for (const off of [-1n, 0n, 1n]) {
      for (const sign of [1n, -1n]) all.add(sign * ((1n << BigInt(power)) + off));
    }
  }
  for (const value of [0n, 5n, 7n, 10n, 100n, -5n, -100n, min, min + 1n, max, max - 1n]) all.add(value);
  const fit = [...all].filter((value) => value >= min && value <= max);
  return isWide(kind) ? fit : fit.map(Number);
}

/** Around the ends of digits and of ranges, ties between them, and a few plain numbers. */
const usual: readonly number[] = [
  [0.5, 1, 1.5, 2, 3, 5, 7, 10, 0.1, 1 / 3, Math.PI, 100, 255, 256, 1e3, 0.25, 0.75, 2.5, 3.5, 1e10, 1e30, 1e-30],
  [1 + 2 ** -23, 1 - 2 ** -24, 2 ** 23, 2 ** 23 + 1, 2 ** 24 - 1, 2 ** 24, 1 + 2 ** -10, 1 - 2 ** -11, 2047],
  [127, 128, 32767, 32768, 65504, 65519, 65520, 2 ** 31, 2 ** 32, 2 ** 53, 2 ** 63, 2 ** 64, 0.49999997, 8388607.5],
  [448, 464, 480, 57344, 61440, 2 ** -9, 2 ** -10, 2 ** -16, 2 ** -17, 2 ** -25],
].flat();

function floats(kind: ScalarKind, max: number, normal: number, smallest: number): readonly ScalarValue[] {
  const ends = [0, smallest, 2 * smallest, 3 * smallest, normal - smallest, normal, normal + smallest, 2 * normal];
  const magnitudes = [...ends, max, max / 2, max / 3, 1 / max, ...usual].map((value) => roundFloat(kind, value));
  const signed = magnitudes.flatMap((value) => [value, -value]);
  const infinite = kind === 'e4m3' ? [NaN] : [Infinity, -Infinity, NaN];
  return [...new Set([...signed, ...infinite]), -0];
}

/**
 * Returns a random value. A float has random bits, or is a number between -16 and 16, or a product
 * of few digits.
 */
export function randomValue(kind: ScalarKind, next: () => number): ScalarValue {
  const info = scalarInfo[kind];
  const choice = next() % 4;
  if (info.class === 'float' && choice === 0) return roundFloat(kind, (next() / 2 ** 32 - 0.5) * 32);
  if (info.class === 'float' && choice === 1) {
    return roundFloat(kind, (next() % 64) * 2 ** ((next() % 24) - 12) * (next() % 2 === 0 ? 1 : -1));
  }
  scratch.setUint32(0, next(), true);
  scratch.setUint32(4, next(), true);
  if (kind === 'bool') return next() % 2 === 0;
  if (kind === 'addr') return Number(scratch.getBigUint64(0, true) >> BigInt(11 + (next() % 53)));
  if (isWide(kind) && choice !== 0) {
    // Values of any length, because otherwise all quotients would be small.
    const value = scratch.getBigInt64(0, true) >> BigInt(next() % 64);
    return kind === 'i64' ? value : BigInt.asUintN(64, value) >> BigInt(next() % 64);
  }
  return readScalar(scratch, 0, kind);
}

/** Every value of a kind of up to 16 bits. */
function everyValue(kind: ScalarKind): readonly ScalarValue[] {
  return Array.from({ length: 2 ** scalarInfo[kind].bits }, (_, bits) => {
    scratch.setUint32(0, bits, true);
    return readScalar(scratch, 0, kind);
  });
}

/**
 * Returns corners (all of them for one operand and for two) and random values. For one operand of
 * few bits, it returns all values.
 */
export function rowsOf(kind: ScalarKind, arity: 1 | 2 | 3, random: number, seed: number): readonly ScalarValue[][] {
  const all = corners(kind);
  const next = randomWords(seed);
  switch (arity) {
    case 1:
      if (scalarInfo[kind].bits <= 16) return everyValue(kind).map((value) => [value]);
      return [...all, ...Array.from({ length: random }, () => randomValue(kind, next))].map((value) => [value]);
    case 2:
      return [
        ...all.flatMap((a) => all.map((b) => [a, b])),
        ...Array.from({ length: random }, () => [randomValue(kind, next), randomValue(kind, next)]),
      ];
    case 3:
      return Array.from({ length: random }, () => summands(kind, all, next));
  }
}

/** `a`, `b` and `c` of `a * b + c`: any, corners, or such that little is left of the sum. */
function summands(kind: ScalarKind, all: readonly ScalarValue[], next: () => number): ScalarValue[] {
  const [a, b, c] = [randomValue(kind, next), randomValue(kind, next), randomValue(kind, next)];
  const corner = (): ScalarValue => all[next() % all.length] ?? 0;
  switch (next() % 4) {
    case 0:
      return [corner(), corner(), corner()];
    case 1:
      return [a, b, roundFloat(kind, -Number(a) * Number(b))];
    case 2:
      return [a, b, roundFloat(kind, Number(a) * Number(b) * 2 ** ((next() % 60) - 30))];
    default:
      return [a, b, c];
  }
}
