import type { ScalarKind } from '@nccl-ts/core';
import { scalarInfo } from '@nccl-ts/core';
import type { MathFunction } from '../expression.ts';
import { fusedMultiplyAdd } from './fused-multiply-add.ts';
import { oneNaN } from './one-nan.ts';
import { roundFloat } from './round.ts';
import {
  asBigint,
  asNumber,
  isFloatKind,
  isIntegerKind,
  isWide,
  undefinedOperation,
  type ScalarValue,
} from './scalar-value.ts';
import { scalarUnary } from './scalar-unary.ts';

/** The number of arguments of each math function. */
export const mathArity: Readonly<Record<MathFunction, 1 | 2 | 3>> = Object.freeze({
  abs: 1,
  fma: 3,
  sqrt: 1,
  rsqrt: 1,
  exp: 1,
  exp2: 1,
  log: 1,
  log2: 1,
  sin: 1,
  cos: 1,
  tanh: 1,
  pow: 2,
  floor: 1,
  ceil: 1,
  round: 1,
  trunc: 1,
});

/**
 * Computes a math function of values of `kind`. `abs`, `fma`, `sqrt` and the rounding functions are
 * exact or rounded once. The JavaScript engine computes the others in double, and the result is
 * then rounded. So their last bit may differ between engines.
 *
 * `kind` must be a float of 16 bits or more. `abs` also takes integers. The number of arguments
 * must equal `mathArity`. Otherwise throws `NCCL_INTERNAL_ERROR`.
 */
export function scalarMath(name: MathFunction, kind: ScalarKind, args: readonly ScalarValue[]): ScalarValue {
  const [first] = args;
  if (first === undefined || args.length !== mathArity[name]) throw undefinedOperation(`math.${name}`, kind);
  if (name === 'abs' && isIntegerKind(kind)) {
    const negative = isWide(kind) ? asBigint(kind, first) < 0n : asNumber(kind, first) < 0;
    return negative ? scalarUnary('neg', kind, first) : first;
  }
  if (!isFloatKind(kind) || scalarInfo[kind].bits === 8) throw undefinedOperation(`math.${name}`, kind);
  const [a = 0, b = 0, c = 0] = args.map((arg) => asNumber(kind, arg));
  return name === 'fma' ? oneNaN(fusedMultiplyAdd(kind, a, b, c)) : roundFloat(kind, inDouble[name](a, b));
}

const inDouble: Readonly<Record<Exclude<MathFunction, 'fma'>, (a: number, b: number) => number>> = {
  abs: Math.abs,
  sqrt: Math.sqrt,
  rsqrt: (a) => 1 / Math.sqrt(a),
  exp: (a) => oneNaN(Math.exp(a)),
  exp2: (a) => oneNaN(2 ** a),
  log: (a) => oneNaN(Math.log(a)),
  log2: (a) => oneNaN(Math.log2(a)),
  sin: (a) => oneNaN(Math.sin(a)),
  cos: (a) => oneNaN(Math.cos(a)),
  tanh: (a) => oneNaN(Math.tanh(a)),
  pow: power,
  floor: Math.floor,
  ceil: Math.ceil,
  round: roundTiesToEven,
  trunc: Math.trunc,
};

/** C's `pow`. Unlike JavaScript's, it returns 1 for 1 to any power and for -1 to an infinity. */
function power(base: number, exponent: number): number {
  if (base === 1 || (base === -1 && Math.abs(exponent) === Infinity)) return 1;
  return oneNaN(base ** exponent);
}

function roundTiesToEven(value: number): number {
  // From 2^52 on every double is whole.
  if (!(Math.abs(value) < 2 ** 52)) return value;
  const below = Math.floor(value);
  const distance = value - below;
  const rounded = distance < 0.5 || (distance === 0.5 && below % 2 === 0) ? below : below + 1;
  return rounded === 0 && (value < 0 || Object.is(value, -0)) ? -0 : rounded;
}
