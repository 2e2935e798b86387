import { mayFault, readLocals, statementReads, statementTarget, type Body, type Statement } from '@nccl-ts/ir';
import { at as elementAt } from '@nccl-ts/core';
import { SameCode } from './same-code.ts';

/** A body that ends with code that is equivalent to other code. */
export interface EndsWithCopy {
  /** The statements before the copy, and those among it that may also be before it. */
  readonly before: Body;
  readonly code: SameCode;
}

/** The number of statements of other code that a copy may contain. */
const MOST_OTHERS = 8;

/**
 * Finds a copy of `wanted` at the end of `body`. Assignments among the copy that neither depend on
 * it nor affect it do not count.
 */
export function copyAtEnd(body: Body, wanted: Body): EndsWithCopy | undefined {
  for (let others = 0; others <= MOST_OTHERS; others++) {
    const start = body.length - wanted.length - others;
    if (start < 0) return undefined;
    const code = new SameCode();
    const moved = otherThan(wanted, body.slice(start), code);
    if (moved !== undefined) return { before: [...body.slice(0, start), ...moved], code };
  }
  return undefined;
}

/** The statements of `body` that are not the copy of `wanted`, if they may be before it. */
function otherThan(wanted: Body, body: Body, code: SameCode): readonly Statement[] | undefined {
  const [moved, copy]: [Statement[], Statement[]] = [[], []];
  for (const s of body) {
    if (copy.length < wanted.length && code.statement(s, elementAt(wanted, copy.length))) copy.push(s);
    else if (copy.length > 0 && mayPrecede(s, copy)) moved.push(s);
    else return undefined;
  }
  return copy.length === wanted.length ? moved : undefined;
}

/** True if an assignment after `copy` has the same effect before it. */
function mayPrecede(s: Statement, copy: Body): boolean {
  if (s.kind !== 'assign' || mayFault(s.value)) return false;
  const read = readLocals(s.value);
  return copy.every((one) => {
    const target = statementTarget(one);
    return target !== s.local && (target === undefined || !read.has(target)) && !statementReads(one).has(s.local);
  });
}
