import { decodeArray, encodeArray, scalarInfo } from '@nccl-ts/core';
import { expect, test } from 'vitest';
import { benchOps } from '../src/nccl-tests/bench-op.ts';
import { benchTypes } from '../src/nccl-tests/bench-type.ts';
import { inputPattern, reducedPattern, type PatternOf } from '../src/nccl-tests/data/pattern.ts';
import { Repeated } from '../src/nccl-tests/data/repeated.ts';
import { wrongElements } from '../src/nccl-tests/data/wrong-elements.ts';

const LENGTH = 64;
const floats = benchTypes.filter(({ kind }) => scalarInfo[kind].class === 'float');
const combine = {
  sum: (a: number, b: number): number => a + b,
  prod: (a: number, b: number): number => a * b,
  max: Math.max,
  min: Math.min,
};

test.each(floats)('the inputs of $name give exact results in any order', ({ kind, bytes }) => {
  for (const op of ['sum', 'prod', 'max', 'min'] as const) {
    for (const nRanks of [1, 2, 5, 40]) {
      const of: PatternOf = { kind, op, nRanks, seed: 7, length: LENGTH };
      const inputs = Array.from({ length: nRanks }, (_, rank) => decodeArray(kind, inputPattern(of, rank)));
      const at = (values: (typeof inputs)[number] | undefined, i: number): number => Number(values?.[i]);
      for (const order of [inputs, inputs.toReversed()]) {
        // Rounded to the type after each step.
        let total = Array.from({ length: LENGTH }, (_, i) => at(order[0], i));
        for (const next of order.slice(1)) {
          const step = encodeArray(
            kind,
            total.map((value, i) => combine[op](value, at(next, i))),
          );
          total = Array.from(decodeArray(kind, step), Number);
        }
        const got = encodeArray(kind, total);
        const stored = new Uint8Array(got.buffer);
        expect(wrongElements(stored, reducedPattern(of), bytes, 0), `${op} of ${nRanks} ranks, seed 7`).toBe(0);
      }
    }
  }
});

test.each(floats)('$name has results that are neither subnormal nor infinite, and not all equal', ({ kind }) => {
  const info = scalarInfo[kind];
  if (info.class !== 'float') return;
  for (const op of [...benchOps, undefined]) {
    const of: PatternOf = { kind, op, nRanks: 4, seed: 3, length: LENGTH };
    const values = Array.from(decodeArray(kind, op === undefined ? inputPattern(of, 1) : reducedPattern(of)), Number);
    const bad = values.filter(
      (value) => !(Math.abs(value) <= info.maxFinite) || (value !== 0 && Math.abs(value) < info.minNormal),
    );
    expect(bad, `${op}, seed 3`).toEqual([]);
    expect(new Set(values).size).toBeGreaterThan(4);
  }
});

test('whole numbers wrap around, and averages are truncated', () => {
  for (const { kind } of benchTypes.filter(({ kind: each }) => scalarInfo[each].class === 'int')) {
    const { bits, signed } = scalarInfo[kind];
    const wrap = (value: bigint): bigint => (signed ? BigInt.asIntN(bits, value) : BigInt.asUintN(bits, value));
    for (const op of benchOps) {
      const of: PatternOf = { kind, op, nRanks: 3, seed: 11, length: LENGTH };
      const inputs = [0, 1, 2].map((rank) => Array.from(decodeArray(kind, inputPattern(of, rank)), BigInt));
      const expected = Array.from({ length: LENGTH }, (_, i) => {
        const values = inputs.map((input) => input[i] ?? 0n);
        const sum = values.reduce((a, b) => a + b);
        const most = values.reduce((a, b) => (a > b ? a : b));
        const least = values.reduce((a, b) => (a < b ? a : b));
        const results = {
          sum,
          max: most,
          min: least,
          avg: sum / 3n,
          mulsum: values.reduce((total, value, rank) => total + value * BigInt(1 + (rank % 2)), 0n),
          prod: values.reduce((a, b) => a * b),
        };
        return wrap(results[op]);
      });
      expect(Array.from(decodeArray(kind, reducedPattern(of)), BigInt), `${op} of ${kind}, seed 11`).toEqual(expected);
    }
  }
});

test('other seeds and ranks give other data, and equal ones the same', () => {
  const of: PatternOf = { kind: 'f32', op: 'sum', nRanks: 2, seed: 1, length: LENGTH };
  expect(inputPattern(of, 0)).toEqual(inputPattern(of, 0));
  expect(inputPattern(of, 0)).not.toEqual(inputPattern(of, 1));
  expect(inputPattern(of, 0)).not.toEqual(inputPattern({ ...of, seed: 2 }, 0));
  // A longer one begins with a shorter one.
  expect(inputPattern({ ...of, length: 10 }, 1)).toEqual(inputPattern(of, 1).slice(0, 40));
});

test('wrong elements are counted, by the distance in representable numbers', () => {
  const expected = new Uint8Array(Float32Array.of(1, 2, 3, 4).buffer);
  const got = new Uint8Array(expected);
  expect(wrongElements(got, expected, 4, 0)).toBe(0);
  got[4] = 2;
  got[12] = 3;
  expect([0, 1, 2, 3].map((steps) => wrongElements(got, expected, 4, steps))).toEqual([2, 2, 1, 0]);
  const wide = new Uint8Array(BigUint64Array.of(2n ** 63n).buffer);
  expect(wrongElements(wide, new Uint8Array(8), 8, 2)).toBe(1);
});

test('a pattern repeats', () => {
  const repeated = new Repeated(Uint8Array.of(1, 2, 3), 5);
  const all = (from: number, count: number): number[] =>
    [...repeated.pieces(from, count)].flatMap((piece) => [...piece]);
  expect(all(0, 5)).toEqual([1, 2, 3, 1, 2]);
  expect(all(7, 13)).toEqual([2, 3, 1, 2, 3, 1, 2, 3, 1, 2, 3, 1, 2]);
  expect(all(1, 0)).toEqual([]);
});
