import type { Expression, ExpressionKind } from '../expression.ts';
import type { Statement, StatementKind } from '../statement.ts';

/** Each kind's node type. */
export type ExpressionByKind = { readonly [K in ExpressionKind]: Extract<Expression, { readonly kind: K }> };
/** Each kind's node type. */
export type StatementByKind = { readonly [K in StatementKind]: Extract<Statement, { readonly kind: K }> };

/** One function per kind. A table without a kind does not compile. */
export type ExpressionTable<Context, Result> = {
  readonly [K in ExpressionKind]: (expression: ExpressionByKind[K], context: Context) => Result;
};
/** One function per kind. A table without a kind does not compile. */
export type StatementTable<Context, Result> = {
  readonly [K in StatementKind]: (statement: StatementByKind[K], context: Context) => Result;
};

/** Calls the entry of `table` for the kind of `expression`. */
export function dispatchExpression<Context, Result>(
  table: ExpressionTable<Context, Result>,
  expression: Expression,
  context: Context,
): Result {
  return callExpression(table, expression.kind, expression, context);
}

/** Calls the entry of `table` for the kind of `statement`. */
export function dispatchStatement<Context, Result>(
  table: StatementTable<Context, Result>,
  statement: Statement,
  context: Context,
): Result {
  return callStatement(table, statement.kind, statement, context);
}

// The kind is a separate type parameter, so that the compiler knows that the entry accepts the
// node.
function callExpression<K extends ExpressionKind, Context, Result>(
  table: { readonly [P in ExpressionKind]: (expression: ExpressionByKind[P], context: Context) => Result },
  kind: K,
  expression: ExpressionByKind[K],
  context: Context,
): Result {
  return table[kind](expression, context);
}

function callStatement<K extends StatementKind, Context, Result>(
  table: { readonly [P in StatementKind]: (statement: StatementByKind[P], context: Context) => Result },
  kind: K,
  statement: StatementByKind[K],
  context: Context,
): Result {
  return table[kind](statement, context);
}
