import { at, roundToBf16, roundToF16 } from '@nccl-ts/core';
import type { NormCase } from './norm-case.ts';

/** The results of a call on one rank. */
export interface NormResult {
  readonly out: readonly number[];
  readonly sums: readonly number[];
  readonly scales: readonly number[];
}

const roundTo = { f32: Math.fround, f16: roundToF16, bf16: roundToBf16 };

/** The largest error of a type, as a relative and an absolute part. */
const errors = {
  f32: { part: 1e-5, beside: 1e-6 },
  f16: { part: 2 ** -10, beside: 1e-6 },
  bf16: { part: 2 ** -7, beside: 1e-6 },
  e4m3: { part: 2 ** -3.9, beside: 2 ** -9 },
  i8: { part: 0, beside: 0.501 },
};

/** The largest value of each type that saturates. */
const limits = {
  f32: [-Infinity, Infinity],
  f16: [-Infinity, Infinity],
  bf16: [-Infinity, Infinity],
  e4m3: [-448, 448],
  i8: [-128, 127],
} as const;

/**
 * Numbers that f16 and bf16 hold exactly, but whose sums they do not. Each `source` has other
 * numbers.
 */
export function numbers(source: number, count: number): Float32Array {
  return Float32Array.from({ length: count }, (_, i) => (((i * 37 + source * 61) % 199) - 99) / 64);
}

/** The constant added to the mean of the squares. */
export const EPSILON = 1e-5;

/** The sums of all ranks, normalised in f64 and not rounded to the type of the results. */
function expected({ element, output, rows, hidden, residual, weight, quantize, ranks }: NormCase): NormResult {
  const count = rows * hidden;
  const parts = Array.from({ length: ranks }, (_, rank) => numbers(rank, count));
  const [extra, factors] = [numbers(100, count), numbers(101, hidden)];
  const sums = Array.from({ length: count }, (_, i) => {
    const sum = parts.reduce((total, part) => Math.fround(total + at(part, i)), 0);
    return roundTo[element](residual ? Math.fround(sum + at(extra, i)) : sum);
  });
  const [least, most] = limits[output];
  const scales: number[] = [];
  const out: number[] = [];
  for (let row = 0; row < rows; row++) {
    const values = sums.slice(row * hidden, (row + 1) * hidden);
    const root = Math.sqrt(values.reduce((total, value) => total + value * value, 0) / hidden + EPSILON);
    const normal = values.map((value, i) => (value / root) * (weight ? at(factors, i) : 1));
    const largest = normal.reduce((so, value) => Math.max(so, Math.abs(value)), 0);
    const scale = quantize === 'row' ? largest / most : (quantize ?? 1);
    scales.push(scale);
    out.push(...normal.map((value) => Math.min(Math.max(value / scale, least), most)));
  }
  return { sums, scales, out };
}

/** The first few differences of a rank's results from the reference. */
export function normProblems(of: NormCase, held: NormResult): readonly string[] {
  const { sums, scales, out } = expected(of);
  const { part, beside } = errors[of.output];
  const found: string[] = [];
  const compare = (name: string, got: readonly number[], wanted: readonly number[], by: typeof errors.f32): void => {
    for (const [i, want] of wanted.entries()) {
      const value = at(got, i);
      if (!(Math.abs(value - want) <= Math.abs(want) * by.part + by.beside)) {
        found.push(`${name}[${i}] is ${value}, not ${want}`);
      }
    }
  };
  compare('out', held.out, out, { part, beside });
  if (of.residual) compare('residualOut', held.sums, sums, { part: 0, beside: 0 });
  if (of.quantize === 'row') compare('scales', held.scales, scales, { part: 1e-5, beside: 0 });
  return found.slice(0, 5);
}
