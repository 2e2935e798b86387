import type { Expression, LocalId } from '../expression.ts';
import type { Body, Statement } from '../statement.ts';
import { expressionChildren, isLeaf, statementBodies, statementExpressions, statementTarget } from './children.ts';
import { memoised, type ExpressionMapper } from './map-expression.ts';

const empty: ReadonlySet<LocalId> = new Set();
// Nodes never change, so the results for expressions and for statements with bodies are cached.
const readsOf = new WeakMap<Expression, ReadonlySet<LocalId>>();
const alone: Set<LocalId>[] = [];
const readsInside = new WeakMap<Statement, ReadonlySet<LocalId>>();
const assignedInside = new WeakMap<Statement, ReadonlySet<LocalId>>();

/** The locals that evaluating `expression` may read. */
export function readLocals(expression: Expression): ReadonlySet<LocalId> {
  // Most nodes are leaves, which cost more in the cache than without it.
  if (expression.kind === 'local') return (alone[expression.local] ??= new Set([expression.local]));
  if (isLeaf(expression)) return empty;
  let reads = readsOf.get(expression);
  if (reads === undefined) {
    reads = collectReads(expression);
    readsOf.set(expression, reads);
  }
  return reads;
}

function collectReads(expression: Expression): ReadonlySet<LocalId> {
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
  if (a.size === 0 || a === b) return b;
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
  const [first] = body;
  if (first !== undefined && body.length === 1) return readsWithin(first);
  const reads = new Set<LocalId>();
  for (const statement of body) for (const id of readsWithin(statement)) reads.add(id);
  return reads;
}

function readsWithin(statement: Statement): ReadonlySet<LocalId> {
  const bodies = statementBodies(statement);
  if (bodies.length === 0) return statementReads(statement);
  let reads = readsInside.get(statement);
  if (reads === undefined) {
    reads = union([statementReads(statement), ...bodies.map(bodyReads)]);
    readsInside.set(statement, reads);
  }
  return reads;
}

/** The locals that the statements of `body` and their bodies set. */
export function assignedLocals(body: Body): ReadonlySet<LocalId> {
  const [first] = body;
  if (first !== undefined && body.length === 1 && statementBodies(first).length > 0) return assignedWithin(first);
  const all = new Set<LocalId>();
  for (const statement of body) addAssigned(all, statement);
  return all;
}

function addAssigned(all: Set<LocalId>, statement: Statement): void {
  if (statementBodies(statement).length > 0) {
    for (const id of assignedWithin(statement)) all.add(id);
    return;
  }
  const target = statementTarget(statement);
  if (target !== undefined) all.add(target);
}

/** The locals that a statement with bodies sets. */
function assignedWithin(statement: Statement): ReadonlySet<LocalId> {
  let assigned = assignedInside.get(statement);
  if (assigned === undefined) {
    const all = new Set<LocalId>();
    const target = statementTarget(statement);
    if (target !== undefined) all.add(target);
    for (const body of statementBodies(statement)) for (const inner of body) addAssigned(all, inner);
    assigned = all;
    assignedInside.set(statement, assigned);
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
