import type { Expression } from '../expression.ts';
import type { Body, LoadStatement, Statement } from '../statement.ts';
import { expressionChildren, statementBodies, statementExpressions } from './children.ts';

/** The callbacks of a walk. Returning `false` skips the children. */
export interface BodyVisitor {
  readonly statement?: (statement: Statement) => boolean | void;
  readonly expression?: (expression: Expression) => boolean | void;
}

/**
 * Visits `expression` and all its operands, parents first. A shared node is visited once, so the
 * time is linear in the number of distinct nodes.
 */
export function walkExpression(expression: Expression, visit: (expression: Expression) => boolean | void): void {
  walkNodes(expression, visit, new Set());
}

/**
 * Visits `statement`, its expressions and all its bodies, parents first. A shared expression is
 * visited once.
 */
export function walkStatement(statement: Statement, visitor: BodyVisitor): void {
  walkStatements([statement], visitor, new Set());
}

/**
 * Visits every statement of `body` and of inner bodies, in program order. A shared expression is
 * visited once.
 */
export function walkBody(body: Body, visitor: BodyVisitor): void {
  walkStatements(body, visitor, new Set());
}

/** The loads of `body` and of inner bodies, in program order. */
export function loadsIn(body: Body): readonly LoadStatement[] {
  const loads: LoadStatement[] = [];
  walkBody(body, {
    statement: (s) => {
      if (s.kind === 'load') loads.push(s);
    },
  });
  return loads;
}

function walkNodes(
  expression: Expression,
  visit: (expression: Expression) => boolean | void,
  seen: Set<Expression>,
): void {
  if (seen.has(expression)) return;
  seen.add(expression);
  if (visit(expression) === false) return;
  for (const child of expressionChildren(expression)) walkNodes(child, visit, seen);
}

function walkStatements(body: Body, visitor: BodyVisitor, seen: Set<Expression>): void {
  for (const statement of body) {
    if (visitor.statement?.(statement) === false) continue;
    if (visitor.expression !== undefined) {
      for (const expression of statementExpressions(statement)) walkNodes(expression, visitor.expression, seen);
    }
    for (const inner of statementBodies(statement)) walkStatements(inner, visitor, seen);
  }
}
