import type { Expression, LocalId } from '../expression.ts';
import { printExpression } from '../print/print-expression.ts';
import { printType } from '../print/print-words.ts';
import type { AtomicStatement, Body, LoopStatement } from '../statement.ts';
import { expressionChildren } from '../visit/children.ts';
import { statementReads } from '../visit/locals.ts';
import { walkBody } from '../visit/walk.ts';

/** A loop that does to a word what no instruction does: it computes what shall be there of what is, until a compare-and-swap finds that unchanged. */
export interface CasLoop {
  readonly loop: LoopStatement;
  readonly atomic: AtomicStatement;
  /**
   * What it does to the word, as a text: loops with the same text come to the same whichever of them is first. Nothing
   * else comes of what they read.
   */
  readonly applies: string;
}

/**
 * The loops in `body` that apply a function of nothing but what the word holds, and forget the word then:
 * `loop { b = cas p, f(s), expected s; if (b == s) { break } s = b }`, where nothing else reads `b` and `s`.
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
  // The compare-and-swap and the test read what was seen, the test and the assignment what was there.
  return found.filter(({ seen, before }) => reads.get(seen) === 2 && reads.get(before) === 2);
}

interface Candidate extends CasLoop {
  readonly seen: LocalId;
  readonly before: LocalId;
}

function candidateOf(loop: LoopStatement): Candidate | undefined {
  const [atomic, test, next, ...others] = loop.body;
  if (loop.condition !== undefined || loop.update.length > 0 || others.length > 0) return undefined;
  if (atomic?.kind !== 'atomic' || atomic.expected?.kind !== 'local' || atomic.local === undefined) return undefined;
  const { local: before, value } = atomic;
  const { local: seen } = atomic.expected;
  if (test?.kind !== 'if' || test.else.length > 0 || test.then.length !== 1 || test.then[0]?.kind !== 'break')
    return undefined;
  if (!isEquality(test.condition, before, seen) || !isFunctionOf(value, seen)) return undefined;
  if (next?.kind !== 'assign' || next.local !== seen || !isLocal(next.value, before)) return undefined;
  const applies = `${printType(value.type)} ${printExpression(value, { spans: false, args: [] })}`;
  return { loop, atomic, applies, seen, before };
}

function isEquality(e: Expression, a: LocalId, b: LocalId): boolean {
  if (e.kind !== 'compare' || e.op !== 'eq') return false;
  return (isLocal(e.left, a) && isLocal(e.right, b)) || (isLocal(e.left, b) && isLocal(e.right, a));
}

function isLocal(e: Expression, id: LocalId): boolean {
  return e.kind === 'local' && e.local === id;
}

/** Whether nothing but constants and the local is in it. */
function isFunctionOf(e: Expression, id: LocalId): boolean {
  if (e.kind === 'constant' || isLocal(e, id)) return true;
  const children = expressionChildren(e);
  return children.length > 0 && children.every((child) => isFunctionOf(child, id));
}
