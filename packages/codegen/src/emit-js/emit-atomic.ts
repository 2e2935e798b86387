import type { ScalarKind } from '@nccl-ts/core';
import { atomicMeaning, elementScalar, type AtomicOp, type AtomicStatement } from '@nccl-ts/ir';

import type { Components } from '../emit-shared/context.ts';
import { updateText, sameText, type CheckedLocation } from './checked-location.ts';
import { ofIntegerText, toIntegerText } from '../emit-shared/emit-bitcast.ts';
import { fresh, type EmitScope } from '../emit-shared/scope.ts';
import { integerViewOf, isFloat } from '../emit-shared/types.ts';

/**
 * The atomic operations that JavaScript performs in one step, on integers as wide as their views.
 * It also has compare-exchange, but the general loop compares floats and narrow integers too.
 */
const direct: Readonly<Partial<Record<AtomicOp, string>>> = {
  add: 'add',
  sub: 'sub',
  and: 'and',
  or: 'or',
  xor: 'xor',
  exch: 'exchange',
};

const whole: readonly ScalarKind[] = ['i32', 'u32', 'i64', 'u64'];

/**
 * Emits an atomic operation on a word that other host threads may change too. If JavaScript has the
 * operation, it is one step. Otherwise it repeats until no other thread has interfered.
 */
export function emitSharedAtomic(
  s: AtomicStatement,
  spot: CheckedLocation,
  value: string,
  expected: string | undefined,
  scope: EmitScope,
): Components {
  const kind = elementScalar(spot.element);
  const view = spot.view(integerViewOf[kind]);
  const { index } = spot;
  const known = direct[s.op];
  if (known !== undefined && whole.includes(kind)) {
    const old = fresh(scope, 'm');
    scope.code.push(`const ${old} = Atomics.${known}(${view}, ${index}, ${value});`);
    return [old];
  }
  const [old, raw] = [fresh(scope, 'm'), fresh(scope, 'raw')];
  const inner: EmitScope = { ...scope, code: [] };
  inner.code.push(`${raw} = ${strongRaw(spot, kind)};`, `${old} = ${ofIntegerText(scope, kind, raw, `${spot.site}`)};`);
  const meaning = atomicMeaning[s.op];
  if (meaning.kind === 'compare') inner.code.push(`if (!(${sameText(isFloat(kind), old, expected ?? '0')})) break;`);
  const next = updateText(meaning, spot, old, value, inner);
  const bits = toIntegerText(scope, kind, next);
  scope.code.push(`let ${old}, ${raw};`, 'for (;;) {', ...inner.code);
  scope.code.push(`if (Atomics.compareExchange(${view}, ${index}, ${raw}, ${bits}) === ${raw}) break;`, '}');
  return [old];
}

function strongRaw(spot: CheckedLocation, kind: ScalarKind): string {
  return `Atomics.load(${spot.view(integerViewOf[kind])}, ${spot.index})`;
}
