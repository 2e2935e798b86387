import type { Expression, LocalId } from '../expression.ts';
import type { Body, Statement } from '../statement.ts';
import { expressionChildren, statementExpressions, statementTarget } from './children.ts';
import { memoised, type ExpressionMapper } from './map-expression.ts';
import { walkBody, walkStatement } from './walk.ts';

const empty: ReadonlySet<LocalId> = new Set();
// Nodes never change, so the result for an expression is cached.
const readsOf = new WeakMap<Expression, ReadonlySet<LocalId>>();

/** The locals that evaluating `expression` may read. */
export function readLocals(expression: Expression): ReadonlySet<LocalId> {
  let reads = readsOf.get(expression);
  if (reads === undefined) {
    reads = collectReads(expression);
    readsOf.set(expression, reads);
  }
  return reads;
}

function collectReads(expression: Expression): ReadonlySet<LocalId> {
  if (expression.kind === 'local') return new Set([expression.local]);
  return union(expressionChildren(expression).map(readLocals));
}

function union(sets: readonly ReadonlySet<LocalId>[]): ReadonlySet<LocalId> {
  return sets.reduce(unionLocals, empty);
}

/**
 * Returns the locals of `a`, then those only in `b`, or `a` itself if there are no others. Neither
 * set may change afterwards.
 */
export function unionLocals(a: ReadonlySet<LocalId>, b: ReadonlySet<LocalId>): ReadonlySet<LocalId> {
  if (a.size === 0) return b;
  let joined: Set<LocalId> | undefined;
  for (const id of b) {
    if (!a.has(id)) (joined ??= new Set(a)).add(id);
  }
  return joined ?? a;
}

/** The locals that the expressions of `statement` itself read, not those of its bodies. */
export function statementReads(statement: Statement): ReadonlySet<LocalId> {
  return union(statementExpressions(statement).map(readLocals));
}

/** The locals that the statements of `body` and their bodies read. */
export function bodyReads(body: Body): ReadonlySet<LocalId> {
  const reads = new Set<LocalId>();
  walkBody(body, {
    statement: (statement) => {
      for (const id of statementReads(statement)) reads.add(id);
    },
  });
  return reads;
}

/** The locals that the statements of `body` and their bodies set. */
export function assignedLocals(body: Body): ReadonlySet<LocalId> {
  const assigned = new Set<LocalId>();
  for (const statement of body) {
    walkStatement(statement, {
      statement: (inner) => {
        const target = statementTarget(inner);
        if (target !== undefined) assigned.add(target);
      },
    });
  }
  return assigned;
}

/**
 * Replaces locals of `expression` by the results of `replacement`. Replacements themselves are not
 * searched. A replacement must have the local's type.
 */
export function substituteLocals(
  expression: Expression,
  replacement: (local: LocalId) => Expression | undefined,
): Expression {
  return memoised(localSubstitution(replacement))(expression);
}

/** `substituteLocals` as a mapper for `mapBody`. */
export function localSubstitution(replacement: (local: LocalId) => Expression | undefined): ExpressionMapper {
  return (expression) => (expression.kind === 'local' ? (replacement(expression.local) ?? expression) : expression);
}
