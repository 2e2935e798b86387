import type { Lowering } from '../lowering.ts';
import type { ScalarKind } from '@nccl-ts/core';
import type { Expression } from '@nccl-ts/ir';
import { add, and, choose, is, kindOf, mul, shr, sub, to } from './build.ts';
import { storedInLocal } from './form.ts';

const widened: Readonly<Partial<Record<ScalarKind, ScalarKind>>> = { u16: 'u32', i16: 'i32', u32: 'u64', i32: 'i64' };

/** The integer of twice the width, or `scalar` itself if there is none. */
export function wideOf(scalar: ScalarKind): ScalarKind {
  return widened[scalar] ?? scalar;
}

/** All bits of a product, or `undefined` if the factors have 64 bits. */
export function wideProduct(a: Expression, b: Expression): Expression | undefined {
  const wide = widened[kindOf(a)];
  return wide === undefined ? undefined : mul(to(wide, a), to(wide, b));
}

/** The upper half of a product, in the type of its factors. */
export function highProduct(lowering: Lowering, left: Expression, right: Expression): Expression {
  const kind = kindOf(left);
  if (kind === 'u16' || kind === 'i16') {
    const wide = wideOf(kind);
    return to(kind, shr(mul(to(wide, left), to(wide, right)), 16));
  }
  const a = storedInLocal(lowering, 'a', left);
  const b = storedInLocal(lowering, 'b', right);
  if (kind === 'u32' || kind === 'u64') return unsignedHigh(lowering, a, b);
  const unsigned = kind === 'i32' ? 'u32' : 'u64';
  const high = to(kind, unsignedHigh(lowering, to(unsigned, a), to(unsigned, b)));
  // As unsigned numbers, negative factors are too large by 2^width.
  const zero = sub(a, a);
  const less = sub(high, choose(is('lt', a, 0), b, zero));
  return sub(less, choose(is('lt', b, 0), a, zero));
}

/** Computes by halves, so that no value is wider than a factor. */
function unsignedHigh(lowering: Lowering, a: Expression, b: Expression): Expression {
  const half = kindOf(a) === 'u32' ? 16 : 32;
  const mask = 2 ** half - 1;
  const low = (e: Expression): Expression => and(e, mask);
  const high = (e: Expression): Expression => shr(e, half);
  const first = lowering.keep('cross', add(mul(high(a), low(b)), high(mul(low(a), low(b)))));
  const second = add(mul(low(a), high(b)), low(first));
  return add(add(mul(high(a), high(b)), high(first)), high(second));
}
