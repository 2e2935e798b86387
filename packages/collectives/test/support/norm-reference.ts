import { roundToBf16, roundToF16 } from '@nccl-ts/core';

/** A call of `allReduceRMSNorm`, with numbers for its data. */
export interface NormCase {
  readonly element: 'f32' | 'f16' | 'bf16';
  readonly output: 'f32' | 'f16' | 'bf16' | 'e4m3' | 'i8';
  readonly rows: number;
  readonly hidden: number;
  readonly residual: boolean;
  readonly weight: boolean;
  /** A scale, or one of each row. */
  readonly quantize: number | 'row' | undefined;
  readonly epsilon: number;
}

/** The results of a call on one rank. */
export interface NormResult {
  readonly out: readonly number[];
  readonly sums: readonly number[];
  readonly scales: readonly number[];
}

const roundTo = { f32: Math.fround, f16: roundToF16, bf16: roundToBf16 };

/** The largest error of a type, as a part of the value, and beside it. */
const errors = {
  f32: { part: 1e-5, beside: 1e-6 },
  f16: { part: 2 ** -10, beside: 1e-6 },
  bf16: { part: 2 ** -7, beside: 1e-6 },
  e4m3: { part: 2 ** -3.9, beside: 2 ** -9 },
  i8: { part: 0, beside: 0.501 },
};

/** Numbers that f16 and bf16 hold exactly, with sums that they do not; others for each `source`. */
export function numbers(source: number, count: number): Float32Array {
  return Float32Array.from({ length: count }, (_, i) => (((i * 37 + source * 61) % 199) - 99) / 64);
}

/** Compares results with those that the sums of all ranks have, normalised in f64. */
export function normReference(
  { element, output, rows, hidden, residual, weight, quantize, epsilon }: NormCase,
  ranks: number,
): { readonly problems: (held: NormResult) => readonly string[] } {
  const count = rows * hidden;
  const parts = Array.from({ length: ranks }, (_, rank) => numbers(rank, count));
  const [extra, factors] = [numbers(100, count), numbers(101, hidden)];
  const sums = Array.from({ length: count }, (_, i) => {
    const sum = parts.reduce((total, part) => Math.fround(total + (part[i] ?? NaN)), 0);
    return roundTo[element](residual ? Math.fround(sum + (extra[i] ?? NaN)) : sum);
  });
  const scales: number[] = [];
  const out: number[] = [];
  for (let row = 0; row < rows; row++) {
    const values = sums.slice(row * hidden, (row + 1) * hidden);
    const mean = values.reduce((total, value) => total + value * value, 0) / hidden;
    const normal = values.map((value, i) => (value / Math.sqrt(mean + epsilon)) * (weight ? (factors[i] ?? NaN) : 1));
    const largest = output === 'i8' ? 127 : 448;
    const scale =
      quantize === 'row' ? normal.reduce((most, value) => Math.max(most, Math.abs(value)), 0) / largest : quantize;
    if (scale !== undefined) scales.push(scale);
    const limit = output === 'i8' || output === 'e4m3' ? largest : Infinity;
    out.push(
      ...normal.map((value) => Math.min(Math.max(value / (scale ?? 1), -limit - (output === 'i8' ? 1 : 0)), limit)),
    );
  }
  const { part, beside } = errors[output];
  return {
    problems: (held) => {
      const found: string[] = [];
      const compare = (what: string, got: number | undefined, want: number, error: number): void => {
        if (got === undefined || !(Math.abs(got - want) <= error)) found.push(`${what}: ${got}, not ${want}`);
      };
      out.forEach((want, i) => compare(`out ${i}`, held.out[i], want, Math.abs(want) * part + beside));
      if (residual) sums.forEach((want, i) => compare(`sum ${i}`, held.sums[i], want, 0));
      if (quantize === 'row') scales.forEach((want, i) => compare(`scale ${i}`, held.scales[i], want, want * 1e-5));
      return found.slice(0, 5);
    },
  };
}
