import { medianOf } from '@nccl-ts/core';
import type { JsonValue } from './json-value.ts';

/** A line of a table. */
export const row = (cells: readonly string[]): string => `| ${cells.join(' | ')} |`;
/** The line below a table's head. */
export const rule = (columns: number): string => `|${'---|'.repeat(columns)}`;

/** The median time of a contender in a row of `gpu/table.ts`. */
export function typicalOf(one: JsonValue, contender: string): number {
  return medianOf(
    one
      .at('times')
      .at(contender)
      .list.map((time) => time.number),
  );
}

/** The best median time of NCCL's contenders there. */
export function bestOfNccl(one: JsonValue): number {
  const names = one.at('times').names.filter((name) => name.startsWith('nccl'));
  return Math.min(...names.map((name) => typicalOf(one, name)));
}

/** The geometric mean of how far factors are from 1, and the worst. */
export function errorsOf(factors: readonly number[]): string {
  const { mean, worst } = errorsIn(factors);
  return `x${mean.toFixed(2)}, at most x${worst.toFixed(2)}`;
}

/** The geometric mean and the largest of errors, each as a factor of at least 1. */
export function errorsIn(factors: readonly number[]): { readonly mean: number; readonly worst: number } {
  const errors = factors.map((one) => Math.abs(Math.log(one)));
  const mean = Math.exp(errors.reduce((sum, each) => sum + each, 0) / errors.length);
  return { mean, worst: Math.exp(Math.max(...errors)) };
}

/** Microseconds with as many digits as they deserve. */
export function microseconds(us: number): string {
  return us < 100 ? us.toFixed(1) : us.toFixed(0);
}

/** Two times in microseconds, and the first divided by the second. */
export function beside(one: number, other: number): string {
  return `${microseconds(one)} / ${microseconds(other)} = ${(one / other).toFixed(2)}`;
}

/** Bytes in the largest unit that divides them into one or more. */
export function sizeText(bytes: number): string {
  for (const [name, unit] of [
    ['GiB', 2 ** 30],
    ['MiB', 2 ** 20],
    ['KiB', 2 ** 10],
  ] as const) {
    if (bytes >= unit) return `${bytes / unit} ${name}`;
  }
  return `${bytes} B`;
}
