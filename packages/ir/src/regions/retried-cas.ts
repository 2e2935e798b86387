import type { CompareExpression, Expression, LocalId } from '../expression.ts';
import { printExpression } from '../print/print-expression.ts';
import type { AtomicStatement, Body, LoopStatement } from '../statement.ts';

/** A compare-and-swap that a loop repeats until it succeeds. */
export interface RetriedCas {
  readonly atomic: AtomicStatement;
  /** The local that receives the previous value. */
  readonly before: LocalId;
  readonly expected: Expression;
  /** The condition that is true if it has succeeded. */
  readonly holds: CompareExpression;
  /** The statements of a round after a failed attempt. */
  readonly rest: Body;
}

/**
 * Returns the compare-and-swap that a loop retries, as in `loop { b = cas p, v, expected e if (b ==
 * e) { break } ... }`; Returns `undefined` for other loops.
 */
export function retriedCas({ condition, body, update }: LoopStatement): RetriedCas | undefined {
  const [atomic, test, ...rest] = body;
  if (condition !== undefined || update.length > 0) return undefined;
  if (atomic?.kind !== 'atomic' || atomic.expected === undefined || atomic.local === undefined) return undefined;
  if (test?.kind !== 'if' || test.else.length > 0 || test.then.length !== 1 || test.then[0]?.kind !== 'break')
    return undefined;
  const { condition: holds } = test;
  const { local: before, expected } = atomic;
  if (holds.kind !== 'compare' || holds.op !== 'eq') return undefined;
  const sides = [holds.left, holds.right];
  const isTested = sides.some((e) => isLocal(e, before)) && sides.some((e) => isAlike(e, expected));
  return isTested ? { atomic, before, expected, holds, rest } : undefined;
}

export function isLocal(e: Expression, id: LocalId): boolean {
  return e.kind === 'local' && e.local === id;
}

/** True if two expressions have the same text. */
export function isAlike(a: Expression, b: Expression): boolean {
  const printing = { spans: false, args: [] };
  return a === b || printExpression(a, printing) === printExpression(b, printing);
}
