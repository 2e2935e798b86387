import type { Lowering } from '../lowering.ts';
import { math, unary, type Expression } from '@nccl-ts/ir';
import { abs, add, and, bits, both, choose, either, is, kindOf, mul, not, number, sub, to } from './build.ts';
import { bitsOf } from './float-modes.ts';

export type Rounding = 'rn' | 'rz' | 'rm' | 'rp';

/**
 * Adjusts `nearest`, the exact result rounded to nearest, to the rounding `mode`. `below` is true
 * if the exact result is below `nearest`, and `above` if it is above. Both are false if it is
 * exact, infinite or a NaN. All operands are used more than once.
 */
export function moved(
  lowering: Lowering,
  mode: Rounding,
  nearest: Expression,
  below: Expression,
  above: Expression,
): Expression {
  if (mode === 'rn') return nearest;
  const pattern = lowering.keep('pattern', bitsOf(nearest));
  const kind = kindOf(pattern);
  const width = kind === 'u16' ? 15 : kind === 'u32' ? 31 : 63;
  const sign = kind === 'u64' ? undefined : number(kind, 2 ** width);
  const isNegative = sign === undefined ? is('ge', pattern, 2 ** width) : is('ne', and(pattern, sign), 0);
  const negative = lowering.keep('negative', isNegative);
  // The exact result has the sign of the rounded one, so the next number never crosses zero.
  const down = choose(negative, add(pattern, 1), sub(pattern, 1));
  const up = choose(negative, sub(pattern, 1), add(pattern, 1));
  const smaller = sub(pattern, 1);
  const next =
    mode === 'rm'
      ? choose(below, down, pattern)
      : mode === 'rp'
        ? choose(above, up, pattern)
        : choose(choose(negative, above, below), smaller, pattern);
  return bits(kindOf(nearest), next);
}

/**
 * The sum `x + y` of two doubles, of which the first may be a product of narrow floats, rounded to
 * `scalar` (f32 or narrower).
 *
 * @param zero is the result if the exact sum is zero and `mode` is `rm`.
 */
export function directedSum(
  lowering: Lowering,
  mode: Rounding,
  scalar: 'f32',
  [x, y]: readonly [Expression, Expression],
  zero: Expression,
): Expression {
  const [a, b] = [lowering.keep('x', x), lowering.keep('y', y)];
  const sum = lowering.keep('sum', add(a, b));
  // The rounding error of the addition of doubles, exactly.
  const rest = lowering.keep('rest', sub(sum, a));
  const lost = lowering.keep('lost', add(sub(a, sub(sum, rest)), sub(b, rest)));
  const nearest = lowering.keep('nearest', to(scalar, sum));
  const off = lowering.keep('off', sub(sum, to('f64', nearest)));
  const isExact = is('eq', off, 0);
  const below = either(is('lt', off, 0), both(isExact, is('lt', lost, 0)));
  const above = either(is('gt', off, 0), both(isExact, is('gt', lost, 0)));
  const result = moved(lowering, mode, nearest, below, above);
  return mode === 'rm' ? choose(is('eq', sum, 0), zero, result) : result;
}

/** A double rounded to `scalar`. */
export function directedNarrow(
  lowering: Lowering,
  mode: Rounding,
  scalar: 'f32' | 'f16' | 'bf16',
  value: Expression,
): Expression {
  if (mode === 'rn') return to(scalar, value);
  const exact = lowering.keep('exact', to('f64', value));
  const nearest = lowering.keep('nearest', to(scalar, exact));
  const wide = to('f64', nearest);
  return moved(lowering, mode, nearest, is('lt', exact, wide), is('gt', exact, wide));
}

/** The sum of two f64, rounded to f64. `zero` is as for `directedSum`. */
export function directedDoubleSum(
  lowering: Lowering,
  mode: Rounding,
  a: Expression,
  b: Expression,
  zero: Expression,
): Expression {
  const nearest = lowering.keep('sum', add(a, b));
  const rest = lowering.keep('rest', sub(nearest, a));
  // The rounding error, exactly. It is a NaN if the sum is infinite.
  const lost = lowering.keep('lost', add(sub(a, sub(nearest, rest)), sub(b, rest)));
  const areFinite = lowering.keep('finite', both(isFinite(a), isFinite(b)));
  const overflows = (infinity: number): Expression => both(is('eq', nearest, infinity), areFinite);
  const below = either(is('lt', lost, 0), overflows(Infinity));
  const above = either(is('gt', lost, 0), overflows(-Infinity));
  const result = moved(lowering, mode, nearest, below, above);
  return mode === 'rm' ? choose(is('eq', nearest, 0), zero, result) : result;
}

/** The product of two f64, rounded to f64. */
export function directedDoubleProduct(lowering: Lowering, mode: Rounding, a: Expression, b: Expression): Expression {
  const nearest = lowering.keep('product', mul(a, b));
  // A small product is scaled, so that its error is no smaller than the least f64.
  const isSmall = lowering.keep('small', is('lt', abs(nearest), 2 ** -900));
  const scalesA = lowering.keep('scales_a', is('lt', abs(a), abs(b)));
  const scaled = (isScaled: Expression, e: Expression): Expression => choose(isScaled, mul(e, 2 ** 600), e);
  const factors = [scaled(both(isSmall, scalesA), a), scaled(both(isSmall, not(scalesA)), b)];
  const error = lowering.keep('error', math('fma', [...factors, unary('neg', scaled(isSmall, nearest))]));
  // Only the sign of a product that is rounded to zero is known.
  const vanishes = lowering.keep('vanishes', both(is('eq', nearest, 0), both(is('ne', a, 0), is('ne', b, 0))));
  const isNegative = lowering.keep('is_negative', is('ge', bitsOf(nearest), 2 ** 63));
  const below = either(is('lt', error, 0), both(vanishes, isNegative));
  const above = either(is('gt', error, 0), both(vanishes, not(isNegative)));
  return moved(lowering, mode, nearest, below, above);
}

function isFinite(e: Expression): Expression {
  return is('lt', abs(e), Infinity);
}
