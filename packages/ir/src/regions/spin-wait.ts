import type { Expression } from '../expression.ts';
import { printExpression } from '../print/print-expression.ts';
import type { LoopStatement, WaitStatement } from '../statement.ts';
import { readLocals } from '../visit/locals.ts';

/**
 * What a loop waits for that tries a compare-and-swap until it succeeds, as for a lock: `loop { b = cas p, v, expected e if (b == e) { break } }`.
 * Rounds in which it fails do nothing, so that one who first waits until the word can be what is expected does all that the loop does, but for
 * rounds without an end. `undefined` for other loops.
 */
export function spinWait({ condition, body, update }: LoopStatement): WaitStatement | undefined {
  const [atomic, test, ...others] = body;
  if (condition !== undefined || update.length > 0 || others.length > 0) return undefined;
  if (atomic?.kind !== 'atomic' || atomic.expected === undefined || atomic.local === undefined) return undefined;
  const { local, expected, pointer, value, access, span } = atomic;
  if ([expected, pointer, value].some((e) => readLocals(e).has(local))) return undefined;
  if (test?.kind !== 'if' || test.else.length > 0 || test.then.length !== 1 || test.then[0]?.kind !== 'break')
    return undefined;
  const { condition: holds } = test;
  if (holds.kind !== 'compare' || holds.op !== 'eq') return undefined;
  const sides = [holds.left, holds.right];
  const isTested =
    sides.some((e) => e.kind === 'local' && e.local === local) && sides.some((e) => isAlike(e, expected));
  if (!isTested) return undefined;
  const load = { kind: 'load', local, pointer, access: { ...access, order: 'relaxed' }, span } as const;
  return { kind: 'wait', body: [load], condition: holds, span };
}

function isAlike(a: Expression, b: Expression): boolean {
  const printing = { spans: false, args: [] };
  return a === b || printExpression(a, printing) === printExpression(b, printing);
}
