import type { SmallProgram } from './small-program.ts';

/** Values of registers (`agent:register`) and final values of locations. */
export type PartialOutcome = Readonly<Record<string, number>>;

/**
 * A program and whether the model allows (A) or forbids (F) the outcome that shows a lack of order.
 */
export type LitmusTest = Readonly<{
  /** The row of the table. */
  row: string;
  /** The column of the table, from 1. It is 1 if a row has no columns. */
  column: number;
  program: SmallProgram;
  weak: PartialOutcome;
  expected: 'A' | 'F';
}>;

/**
 * True if `outcome` contains all of `part`. Both consist of `agent:register=value` and
 * `location=value`, separated by blanks.
 */
export function outcomeHas(outcome: string, part: PartialOutcome): boolean {
  const words = new Set(outcome.split(' '));
  return Object.entries(part).every(([key, value]) => words.has(`${key}=${value}`));
}
