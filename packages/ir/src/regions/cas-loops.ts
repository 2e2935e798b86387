import type { Expression, LocalId } from '../expression.ts';
import { printExpression } from '../print/print-expression.ts';
import { printType } from '../print/print-words.ts';
import type { AtomicStatement, Body, LoopStatement } from '../statement.ts';
import { expressionChildren } from '../visit/children.ts';
import { statementReads } from '../visit/locals.ts';
import { walkBody } from '../visit/walk.ts';
import { isLocal, retriedCas } from './retried-cas.ts';

/**
 * A loop that applies a function to a word because no atomic instruction does. It computes the new
 * value from the current one, until a compare-and-swap finds the word unchanged.
 */
export interface CasLoop {
  readonly loop: LoopStatement;
  readonly atomic: AtomicStatement;
  /**
   * The function as text. Loops with the same text give the same result in any order, because the
   * values that they read have no other effect.
   */
  readonly applies: string;
}

/**
 * Finds the loops in `body` that apply a function of the current value to a word and use that value
 * for nothing else. Their form is `loop { b = cas p, f(s), expected s; if (b == s) { break } s = b
 * }`, with no other reads of `b` and `s`.
 */
export function casLoops(body: Body): readonly CasLoop[] {
  const found: Candidate[] = [];
  const reads = new Map<LocalId, number>();
  walkBody(body, {
    statement: (s) => {
      for (const id of statementReads(s)) reads.set(id, (reads.get(id) ?? 0) + 1);
      const candidate = s.kind === 'loop' ? candidateOf(s) : undefined;
      if (candidate !== undefined) found.push(candidate);
      return true;
    },
  });
  // The compare-and-swap and the test read the value seen before. The test and the assignment read
  // the previous value that the compare-and-swap returned.
  return found.filter(({ seen, before }) => reads.get(seen) === 2 && reads.get(before) === 2);
}

interface Candidate extends CasLoop {
  readonly seen: LocalId;
  readonly before: LocalId;
}

function candidateOf(loop: LoopStatement): Candidate | undefined {
  const retried = retriedCas(loop);
  if (retried?.expected.kind !== 'local') return undefined;
  const { atomic, before, rest } = retried;
  const { local: seen } = retried.expected;
  const [next, ...others] = rest;
  if (next?.kind !== 'assign' || next.local !== seen || !isLocal(next.value, before) || others.length > 0)
    return undefined;
  const { value } = atomic;
  if (!isFunctionOf(value, seen)) return undefined;
  const applies = `${printType(value.type)} ${printExpression(value, { spans: false, args: [] })}`;
  return { loop, atomic, applies, seen, before };
}

/** True if it contains only constants and the local. */
function isFunctionOf(e: Expression, id: LocalId): boolean {
  if (e.kind === 'constant' || isLocal(e, id)) return true;
  const children = expressionChildren(e);
  return children.length > 0 && children.every((child) => isFunctionOf(child, id));
}
