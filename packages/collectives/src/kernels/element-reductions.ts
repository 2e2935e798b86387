import { deviceFn, deviceModule, type AuthorOf, type DeviceFn, type DeviceModule } from '@nccl-ts/kernel';
import type { ReductionName } from '../red-op.ts';

type Join = DeviceFn<(a: number, b: number) => number>;
type After = DeviceFn<(value: number, nRanks: number) => number>;

/** The members of an {@link ElementReduction} in a kernel. */
export interface ElementFunctions {
  readonly join: AuthorOf<Join>;
  /** The operation that is applied to the result. */
  readonly after: AuthorOf<After>;
}

/** The operation of an operator on single values, in the accumulating type. */
export type ElementReduction = DeviceModule<ElementFunctions>;

const unchanged: After = deviceFn({ name: 'unchanged' }, (_context, value: number, _of: number) => value);
const divided: After = deviceFn(
  { name: 'divided' },
  ({ typeOf }, value: number, nRanks: number) => value / typeOf(value)(nRanks),
);
const add: Join = deviceFn({ name: 'add' }, (_context, a: number, b: number) => a + b);
const multiply: Join = deviceFn({ name: 'multiply' }, (_context, a: number, b: number) => a * b);
const larger: Join = deviceFn({ name: 'larger' }, ({ max }, a: number, b: number) => max(a, b));
const smaller: Join = deviceFn({ name: 'smaller' }, ({ min }, a: number, b: number) => min(a, b));

function joins(join: Join, after = unchanged): ElementReduction {
  return deviceModule('element', { join, after });
}

/**
 * The reduction of single values by each operator. It does not scale: code that knows a rank's
 * scalar does that.
 */
export const elementReductions: Readonly<Record<ReductionName, ElementReduction>> = Object.freeze({
  sum: joins(add),
  prod: joins(multiply),
  max: joins(larger),
  min: joins(smaller),
  avg: joins(add, divided),
  preMulSum: joins(add),
});
