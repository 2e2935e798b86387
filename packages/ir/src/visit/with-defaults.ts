import type { Expression } from '../expression.ts';
import type { Statement } from '../statement.ts';
import type { ExpressionTable, StatementTable } from './dispatch.ts';

// For passes that rewrite: a kind that they do not name stays as it is, and so may a new one. A
// pass that proves something names all kinds instead, so that the compiler shows it each new one.

/** A table that does `otherwise` for each kind that `rows` do not name. */
export function expressionTable<Context, Result>(
  otherwise: (expression: Expression, context: Context) => Result,
  rows: Partial<ExpressionTable<Context, Result>>,
): ExpressionTable<Context, Result> {
  const all: ExpressionTable<Context, Result> = {
    constant: otherwise,
    local: otherwise,
    param: otherwise,
    array: otherwise,
    builtin: otherwise,
    field: otherwise,
    unary: otherwise,
    binary: otherwise,
    compare: otherwise,
    logical: otherwise,
    select: otherwise,
    convert: otherwise,
    bitcast: otherwise,
    math: otherwise,
    vector: otherwise,
    lane: otherwise,
    withLane: otherwise,
    windowPointer: otherwise,
    addressPointer: otherwise,
    multicastPointer: otherwise,
    unicastPointer: otherwise,
    multicastSize: otherwise,
    pointerOffset: otherwise,
    pointerCast: otherwise,
    intrinsic: otherwise,
  };
  return Object.freeze({ ...all, ...rows });
}

/** A table that does `otherwise` for each kind that `rows` do not name. */
export function statementTable<Context, Result>(
  otherwise: (statement: Statement, context: Context) => Result,
  rows: Partial<StatementTable<Context, Result>>,
): StatementTable<Context, Result> {
  const all: StatementTable<Context, Result> = {
    assign: otherwise,
    load: otherwise,
    store: otherwise,
    atomic: otherwise,
    fence: otherwise,
    fenceProxy: otherwise,
    sync: otherwise,
    wait: otherwise,
    waitAll: otherwise,
    collective: otherwise,
    if: otherwise,
    loop: otherwise,
    break: otherwise,
    continue: otherwise,
    block: otherwise,
    leave: otherwise,
    return: otherwise,
    assert: otherwise,
    print: otherwise,
    clock: otherwise,
    call: otherwise,
  };
  return Object.freeze({ ...all, ...rows });
}
