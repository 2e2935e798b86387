import { roundToBf16 } from '@nccl-ts/core';
import { EPSILON } from '../kernels/rms-norm-kernels.ts';

/** The rows of a call. */
export interface RowsSize {
  readonly rows: number;
  readonly hidden: number;
}

/** The results of a call: sums with the residual, and normalised rows. */
export interface NormResults {
  readonly sums: Float32Array;
  readonly out: Float32Array;
}

/** The seeds of inputs that all ranks share. Those of the ranks are 0 and up. */
export const sharedSeeds = Object.freeze({ residual: 100, weight: 101 });

const pattern = Float32Array.from({ length: 1999 }, (_, i) => roundToBf16((i - 999) / 512));

/** Inputs of bf16 for a seed. */
export function numbers(seed: number, count: number): Float32Array {
  return Float32Array.from({ length: count }, (_, i) => pattern[(i * 37 + seed * 61) % 1999] ?? Number.NaN);
}

/** The expected results. With `exact`, the sum is rounded once, together with the residual. */
export function expectedNorm({ rows, hidden }: RowsSize, ranks: number, exact: boolean): NormResults {
  const count = rows * hidden;
  const parts = Array.from({ length: ranks }, (_, rank) => numbers(rank, count));
  const [extra, factors] = [numbers(sharedSeeds.residual, count), numbers(sharedSeeds.weight, hidden)];
  const [sums, out] = [new Float32Array(count), new Float32Array(count)];
  for (let first = 0; first < count; first += hidden) {
    let squares = 0;
    for (let at = first; at < first + hidden; at++) {
      let sum = 0;
      for (const part of parts) sum = Math.fround(sum + (part[at] ?? Number.NaN));
      if (!exact) sum = roundToBf16(sum);
      const value = roundToBf16(Math.fround(sum + (extra[at] ?? Number.NaN)));
      sums[at] = value;
      squares += value * value;
    }
    const factor = 1 / Math.sqrt(squares / hidden + EPSILON);
    for (let i = 0; i < hidden; i++) {
      out[first + i] = (sums[first + i] ?? Number.NaN) * factor * (factors[i] ?? Number.NaN);
    }
  }
  return { sums, out };
}

/** The numbers of wrong elements in a rank's results: in sums with the residual, and in rows. */
export function wrongInNorm(want: NormResults, got: NormResults): number {
  let wrong = 0;
  for (const [i, value] of want.out.entries()) {
    if (got.sums[i] !== want.sums[i]) wrong++;
    if (!(Math.abs((got.out[i] ?? Number.NaN) - value) <= Math.abs(value) * 2 ** -7 + 1e-6)) wrong++;
  }
  return wrong;
}
