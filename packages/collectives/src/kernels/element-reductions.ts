import { deviceFn, type DeviceFn } from '@nccl-ts/kernel';
import type { ReductionName } from '../red-op.ts';

/** The operation of an operator on single values of the accumulating type. */
export interface ElementReduction {
  readonly join: DeviceFn<(a: number, b: number) => number>;
  /** Applied to the result. */
  readonly after: DeviceFn<(value: number, nRanks: number) => number>;
}

const unchanged: ElementReduction['after'] = deviceFn(
  { name: 'unchanged' },
  (_context, value: number, _of: number) => value,
);
const divided: ElementReduction['after'] = deviceFn(
  { name: 'divided' },
  ({ typeOf }, value: number, nRanks: number) => value / typeOf(value)(nRanks),
);
const add: ElementReduction['join'] = deviceFn({ name: 'add' }, (_context, a: number, b: number) => a + b);
const multiply: ElementReduction['join'] = deviceFn({ name: 'multiply' }, (_context, a: number, b: number) => a * b);
const larger: ElementReduction['join'] = deviceFn({ name: 'larger' }, ({ max }, a: number, b: number) => max(a, b));
const smaller: ElementReduction['join'] = deviceFn({ name: 'smaller' }, ({ min }, a: number, b: number) => min(a, b));

function joins(join: ElementReduction['join'], after = unchanged): ElementReduction {
  return Object.freeze({ join, after });
}

/**
 * The reduction of single values by each operator, without scaling, which is done where a rank's
 * scalar is known.
 */
export const elementReductions: Readonly<Record<ReductionName, ElementReduction>> = Object.freeze({
  sum: joins(add),
  prod: joins(multiply),
  max: joins(larger),
  min: joins(smaller),
  avg: joins(add, divided),
  preMulSum: joins(add),
});
