import type { Expression } from '../expression.ts';
import type { Statement } from '../statement.ts';
import type { ExpressionTable, StatementTable } from './dispatch.ts';

// For passes that rewrite. A kind that they do not list stays unchanged, and so does a new kind. A
// pass that proves something lists all kinds instead, so that it does not compile without a new
// kind.

/** Returns a table that calls `otherwise` for each kind that is not in `rows`. */
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
    clusterPointer: otherwise,
    pointerOffset: otherwise,
    pointerCast: otherwise,
    intrinsic: otherwise,
  };
  return Object.freeze({ ...all, ...rows });
}

/** Returns a table that calls `otherwise` for each kind that is not in `rows`. */
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
    approximate: otherwise,
    clock: otherwise,
    call: otherwise,
  };
  return Object.freeze({ ...all, ...rows });
}
