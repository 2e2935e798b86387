import type { Expression, LocalId, Coop, Static } from '../expression.ts';
import type { Body, Statement } from '../statement.ts';
import { dispatchExpression, dispatchStatement, type ExpressionTable, type StatementTable } from './dispatch.ts';

const none: readonly never[] = Object.freeze([]);

/** The expressions in a coop, in the order in which they are evaluated. */
export function coopExpressions(coop: Coop): readonly Expression[] {
  switch (coop.kind) {
    case 'tile':
    case 'cta':
      return none;
    case 'lanes':
      return [coop.mask];
    case 'warpSpan':
      return [coop.first, coop.count, coop.id];
  }
}

/** The expressions in the coops of statics. */
export function staticExpressions(statics: readonly Static[]): readonly Expression[] {
  return statics.flatMap((entry) => (entry.kind === 'coop' ? coopExpressions(entry.coop) : none));
}

const ofExpression: ExpressionTable<undefined, readonly Expression[]> = {
  constant: () => none,
  local: () => none,
  param: () => none,
  array: () => none,
  builtin: () => none,
  field: (e) => [e.base],
  unary: (e) => [e.operand],
  binary: (e) => [e.left, e.right],
  compare: (e) => [e.left, e.right],
  logical: (e) => [e.left, e.right],
  select: (e) => [e.condition, e.then, e.else],
  convert: (e) => [e.operand],
  bitcast: (e) => [e.operand],
  math: (e) => e.args,
  vector: (e) => e.elements,
  lane: (e) => [e.vector, e.index],
  withLane: (e) => [e.vector, e.index, e.value],
  windowPointer: (e) => [e.window, e.peer, e.offset],
  addressPointer: (e) => [e.address],
  multicastPointer: (e) => [e.window, e.group, e.offset],
  unicastPointer: (e) => [e.pointer, e.member],
  multicastSize: (e) => [e.pointer],
  clusterPointer: (e) => [e.pointer, e.rank],
  pointerOffset: (e) => [e.pointer, e.index],
  pointerCast: (e) => [e.pointer],
  intrinsic: (e) => [...staticExpressions(e.statics), ...e.args, e.expansion],
};

/** True if `expression` has no operands. */
export function isLeaf({ kind }: Expression): boolean {
  return kind === 'constant' || kind === 'local' || kind === 'param' || kind === 'builtin' || kind === 'array';
}

/**
 * The direct operands of `expression`, in evaluation order. Those of an intrinsic are in its
 * statics, its arguments and its expansion.
 */
export function expressionChildren(expression: Expression): readonly Expression[] {
  return dispatchExpression(ofExpression, expression, undefined);
}

const present = (expression: Expression | undefined): readonly Expression[] =>
  expression === undefined ? none : [expression];

const expressionsOf: StatementTable<undefined, readonly Expression[]> = {
  assign: (s) => [s.value],
  load: (s) => [s.pointer],
  store: (s) => [s.pointer, s.value],
  atomic: (s) => [s.pointer, s.value, ...present(s.expected)],
  fence: () => none,
  fenceProxy: () => none,
  sync: (s) => [
    ...coopExpressions(s.coop),
    ...present(s.barrier?.name),
    ...present(s.barrier?.threads),
    ...present(s.vote?.value),
  ],
  wait: (s) => [s.condition],
  waitAll: (s) => [...coopExpressions(s.coop), s.count, s.condition],
  collective: (s) => [...coopExpressions(s.coop), ...present(s.value), ...present(s.lane)],
  if: (s) => [s.condition],
  loop: (s) => present(s.condition),
  break: () => none,
  continue: () => none,
  block: () => none,
  leave: () => none,
  return: () => none,
  assert: (s) => [s.condition, ...(s.values ?? none)],
  print: (s) => s.args.flatMap((arg): readonly Expression[] => (typeof arg === 'string' ? none : [arg])),
  approximate: () => none,
  clock: () => none,
  call: (s) => [...staticExpressions(s.statics), ...s.args],
};

/**
 * The expressions of `statement` itself, including coops and statics, without those of its bodies.
 */
export function statementExpressions(statement: Statement): readonly Expression[] {
  return dispatchStatement(expressionsOf, statement, undefined);
}

const bodiesOf: StatementTable<undefined, readonly Body[]> = {
  assign: () => none,
  load: () => none,
  store: () => none,
  atomic: () => none,
  fence: () => none,
  fenceProxy: () => none,
  sync: () => none,
  wait: (s) => [s.body],
  waitAll: (s) => [s.body],
  collective: () => none,
  if: (s) => [s.then, s.else],
  loop: (s) => [s.body, s.update],
  break: () => none,
  continue: () => none,
  block: (s) => [s.body],
  leave: () => none,
  return: () => none,
  assert: () => none,
  print: () => none,
  approximate: () => none,
  clock: () => none,
  call: (s) => (s.body === undefined ? none : [s.body]),
};

/** The bodies directly in `statement`, in the order in which they are written. */
export function statementBodies(statement: Statement): readonly Body[] {
  return dispatchStatement(bodiesOf, statement, undefined);
}

const targetOf: StatementTable<undefined, LocalId | undefined> = {
  assign: (s) => s.local,
  load: (s) => s.local,
  store: () => undefined,
  atomic: (s) => s.local,
  fence: () => undefined,
  fenceProxy: () => undefined,
  sync: (s) => s.vote?.local,
  wait: () => undefined,
  waitAll: (s) => s.index,
  collective: (s) => s.local,
  if: () => undefined,
  loop: () => undefined,
  break: () => undefined,
  continue: () => undefined,
  block: () => undefined,
  leave: () => undefined,
  return: () => undefined,
  assert: () => undefined,
  print: () => undefined,
  approximate: () => undefined,
  clock: (s) => s.local,
  call: (s) => s.local,
};

/**
 * The local that `statement` itself sets, including the index of a `waitAll`. Its bodies do not
 * count.
 */
export function statementTarget(statement: Statement): LocalId | undefined {
  return dispatchStatement(targetOf, statement, undefined);
}
