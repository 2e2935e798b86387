import { scalarInfo, type ScalarKind } from '@nccl-ts/core';
import { roundFloat, type MathFunction } from '@nccl-ts/ir';
import { describe, expect, it } from 'vitest';
import { noDeviceReason, softwareDevice } from '../support/gpu.ts';
import { evaluate, resultAt } from './evaluate.ts';
import { boundedFunctions, mathOperations } from './math-functions.ts';
import { corners, randomValue, randomWords } from './values.ts';

const device = await softwareDevice();
const seed = 20250917;
const floats = ['f16', 'bf16', 'f32'] as const;

/**
 * The documented bound is 1. Results above 0.5 come from rounding a slightly inexact value. A wrong
 * coefficient would give more.
 */
const bound = 0.54;

type Row = readonly number[];

/** In doubles, whose own errors are negligible here. */
const inDouble: Readonly<Partial<Record<MathFunction, (a: number, b: number) => number>>> = {
  rsqrt: (a) => 1 / Math.sqrt(a),
  exp: Math.exp,
  exp2: (a) => 2 ** a,
  log: Math.log,
  log2: Math.log2,
  sin: Math.sin,
  cos: Math.cos,
  tanh: Math.tanh,
  // As in C, whereas JavaScript returns NaN.
  pow: (a, b) => (a === 1 || (a === -1 && Math.abs(b) === Infinity) ? 1 : a ** b),
};

describe.for(floats)('math functions of %s', (kind) => {
  it('functions of one argument are near the true value', async ({ skip }) => {
    if (device === undefined) return skip(noDeviceReason);
    expect(await farResults(device, kind, single(kind, 40_000)), `seed ${seed}`).toEqual([]);
  });

  it('functions of two arguments are near the true value', async ({ skip }) => {
    if (device === undefined) return skip(noDeviceReason);
    expect(await farResults(device, kind, pairs(kind, 40_000)), `seed ${seed}`).toEqual([]);
  });
});

/** The worst result of each function, in words, if it is too far from the true value. */
async function farResults(device: GPUDevice, kind: ScalarKind, given: readonly Row[]): Promise<readonly string[]> {
  const smallest = 2 ** -126;
  const rows = given
    .map((row) => row.map((value) => roundFloat(kind, value)))
    .filter((row) => row.every((value) => value === 0 || !(Math.abs(value) < smallest)));
  const operations = mathOperations(kind, rows[0]?.length ?? 0, boundedFunctions);
  const words = await evaluate(device, kind, rows, operations, true);
  return operations.flatMap(({ name }, i) => {
    let worst = 0;
    let text = '';
    rows.forEach((row, at) => {
      const wanted = inDouble[name]?.(row[0] ?? NaN, row[1] ?? NaN) ?? NaN;
      if (wanted !== 0 && Math.abs(wanted) < smallest) return;
      const got = Number(resultAt(words, at * operations.length + i, kind));
      const error = errorOf(kind, got, wanted);
      if (error <= worst) return;
      worst = error;
      text = `${name} of ${row.join(', ')} is ${got}, ${error} ULP from ${wanted}`;
    });
    return worst > bound ? [text] : [];
  });
}

/**
 * Returns the distance from the true value in units of its last place; infinite if zeros,
 * infinities or NaNs differ.
 */
function errorOf(kind: ScalarKind, got: number, wanted: number): number {
  const info = scalarInfo[kind];
  if (info.class !== 'float') throw new Error(`${kind} is no float.`);
  const rounded = roundFloat(kind, wanted);
  if (Object.is(got, rounded)) return Number.isFinite(wanted) && rounded !== 0 ? 0.5 : 0;
  if (!Number.isFinite(rounded) || !Number.isFinite(got)) return Infinity;
  const exponent = Math.max(Math.floor(Math.log2(Math.abs(wanted))), Math.log2(info.minNormal));
  return Math.abs(got - wanted) / 2 ** (exponent + 1 - info.significandBits);
}

/** Any numbers, numbers of everyday size, and numbers near 1, of which logarithms are small. */
function single(kind: ScalarKind, count: number): readonly Row[] {
  const next = randomWords(seed);
  const centred = (): number => next() / 2 ** 32 - 0.5;
  const choices: readonly (() => number)[] = [
    () => Number(randomValue(kind, next)),
    () => centred() * 220,
    () => centred() * 2 ** -(next() % 14),
    () => 1 + centred() * 2 ** -(next() % 10),
  ];
  const random = Array.from({ length: count }, (_, i) => choices[i % choices.length]?.() ?? 0);
  return [...corners(kind).map(Number), ...random].map((value) => [value]);
}

/**
 * All pairs of corners, any numbers, powers that stay in range, bases near 1 to high powers, small
 * whole numbers.
 */
function pairs(kind: ScalarKind, count: number): readonly Row[] {
  const next = randomWords(seed);
  const centred = (): number => next() / 2 ** 32 - 0.5;
  const choices: readonly (() => Row)[] = [
    () => [Number(randomValue(kind, next)), Number(randomValue(kind, next))],
    () => {
      const base = Math.abs(Number(randomValue(kind, next)));
      return [base, (centred() * 256) / Math.log2(base)];
    },
    () => [1 + centred() * 2 ** -(next() % 20), centred() * 2 ** (next() % 30)],
    () => [(next() % 64) - 32, (next() % 64) - 32],
  ];
  const random = Array.from({ length: count }, (_, i) => choices[i % choices.length]?.() ?? [0, 0]);
  const all = corners(kind).map(Number);
  return [...all.flatMap((a) => all.map((b) => [a, b])), ...random];
}
