import type { Expression, LocalId } from '../expression.ts';
import type { BarrierVote, Body, Statement } from '../statement.ts';
import { dispatchStatement, type StatementTable } from './dispatch.ts';
import { mapBarrier, mapCoop, mapList, mapStatics, memoised, type ExpressionMapper } from './map-expression.ts';

/** The changes to a body. Every part is optional; returning the argument leaves it unchanged. */
export interface BodyMapper {
  /** Called for every expression node after its operands were mapped, as in `mapExpression`. */
  readonly expression?: ExpressionMapper;
  /** Renames the local that a statement sets. `expression` renames the locals that are read. */
  readonly target?: (local: LocalId) => LocalId;
  /**
   * Called for every statement after its parts were mapped. A list replaces it; an empty one drops
   * it.
   */
  readonly statement?: (statement: Statement) => Statement | Body;
}

/** The functions that `mapStatementParts` applies to the direct parts of one statement. */
export interface PartMapper {
  readonly expression: ExpressionMapper;
  readonly target: (local: LocalId) => LocalId;
  readonly body: (body: Body) => Body;
}

/** Rebuilds `body` bottom-up. Unchanged statements and bodies keep their identity. */
export function mapBody(body: Body, mapper: BodyMapper): Body {
  const { statement: mapStatement } = mapper;
  const parts: PartMapper = {
    expression: mapper.expression === undefined ? same : memoised(mapper.expression),
    target: mapper.target ?? same,
    body: (inner) => {
      let changed = false;
      const mapped = inner.flatMap((statement): Body => {
        const rebuilt = mapStatementParts(statement, parts);
        const next = mapStatement === undefined ? rebuilt : mapStatement(rebuilt);
        changed ||= next !== statement;
        return isBody(next) ? next : [next];
      });
      return changed ? Object.freeze(mapped) : inner;
    },
  };
  return parts.body(body);
}

/** Maps the direct parts of `statement`. Returns the same object if none changes. */
export function mapStatementParts(statement: Statement, parts: PartMapper): Statement {
  return dispatchStatement(rebuild, statement, parts);
}

function mapVote(vote: BarrierVote, map: PartMapper): BarrierVote {
  const value = map.expression(vote.value);
  const local = map.target(vote.local);
  return value === vote.value && local === vote.local ? vote : Object.freeze({ value, local });
}

function isBody(mapped: Statement | Body): mapped is Body {
  return Array.isArray(mapped);
}

function same<T>(value: T): T {
  return value;
}

/** Returns `after`, or `before` if no field differs. */
export function settle<S extends Statement>(before: S, after: S): S {
  for (const key in after) {
    if (after[key] !== before[key]) return Object.freeze(after);
  }
  return before;
}

const rebuild: StatementTable<PartMapper, Statement> = {
  // The most common kinds are compared before they are copied.
  assign: (s, map) => {
    const value = map.expression(s.value);
    const local = map.target(s.local);
    return value === s.value && local === s.local ? s : Object.freeze({ ...s, value, local });
  },
  load: (s, map) => {
    const pointer = map.expression(s.pointer);
    const local = map.target(s.local);
    return pointer === s.pointer && local === s.local ? s : Object.freeze({ ...s, pointer, local });
  },
  store: (s, map) => {
    const pointer = map.expression(s.pointer);
    const value = map.expression(s.value);
    return pointer === s.pointer && value === s.value ? s : Object.freeze({ ...s, pointer, value });
  },
  atomic: (s, map) =>
    settle(s, {
      ...s,
      pointer: map.expression(s.pointer),
      value: map.expression(s.value),
      ...(s.expected !== undefined && { expected: map.expression(s.expected) }),
      ...(s.local !== undefined && { local: map.target(s.local) }),
    }),
  fence: same,
  fenceProxy: same,
  sync: (s, map) =>
    settle(s, {
      ...s,
      coop: mapCoop(s.coop, map.expression),
      ...(s.barrier !== undefined && { barrier: mapBarrier(s.barrier, map.expression) }),
      ...(s.vote !== undefined && { vote: mapVote(s.vote, map) }),
    }),
  wait: (s, map) => settle(s, { ...s, body: map.body(s.body), condition: map.expression(s.condition) }),
  waitAll: (s, map) =>
    settle(s, {
      ...s,
      coop: mapCoop(s.coop, map.expression),
      count: map.expression(s.count),
      index: map.target(s.index),
      body: map.body(s.body),
      condition: map.expression(s.condition),
    }),
  collective: (s, map) =>
    settle(s, {
      ...s,
      coop: mapCoop(s.coop, map.expression),
      ...(s.value !== undefined && { value: map.expression(s.value) }),
      ...(s.lane !== undefined && { lane: map.expression(s.lane) }),
      local: map.target(s.local),
    }),
  if: (s, map) => {
    const condition = map.expression(s.condition);
    const then = map.body(s.then);
    const otherwise = map.body(s.else);
    const unchanged = condition === s.condition && then === s.then && otherwise === s.else;
    return unchanged ? s : Object.freeze({ ...s, condition, then, else: otherwise });
  },
  loop: (s, map) =>
    settle(s, {
      ...s,
      ...(s.condition !== undefined && { condition: map.expression(s.condition) }),
      body: map.body(s.body),
      update: map.body(s.update),
    }),
  break: same,
  continue: same,
  block: (s, map) => settle(s, { ...s, body: map.body(s.body) }),
  leave: same,
  return: same,
  assert: (s, map) =>
    settle(s, {
      ...s,
      condition: map.expression(s.condition),
      ...(s.values !== undefined && { values: mapList(s.values, map.expression) }),
    }),
  print: (s, map) =>
    settle(s, {
      ...s,
      args: mapList(s.args, (arg: string | Expression) => (typeof arg === 'string' ? arg : map.expression(arg))),
    }),
  approximate: same,
  clock: (s, map) => settle(s, { ...s, local: map.target(s.local) }),
  call: (s, map) =>
    settle(s, {
      ...s,
      statics: mapStatics(s.statics, map.expression),
      args: mapList(s.args, map.expression),
      ...(s.body !== undefined && { body: map.body(s.body) }),
      ...(s.local !== undefined && { local: map.target(s.local) }),
    }),
};
