import type { NamedBarrier } from '../statement.ts';
import type { Expression, Coop, Static } from '../expression.ts';
import { isLeaf } from './children.ts';
import { dispatchExpression, type ExpressionTable } from './dispatch.ts';

/** Maps a node. Returning the node itself leaves it unchanged. */
export type ExpressionMapper = (expression: Expression) => Expression;

/**
 * Rebuilds `expression` bottom-up. `mapper` is called for every node after its operands were
 * mapped. It must not change the type of a node. Unchanged nodes keep their identity, and shared
 * nodes stay shared.
 */
export function mapExpression(expression: Expression, mapper: ExpressionMapper): Expression {
  return memoised(mapper)(expression);
}

/**
 * Returns `mapExpression` with one cache for many calls. Nodes that the calls share stay shared.
 */
export function memoised(mapper: ExpressionMapper): ExpressionMapper {
  const done = new Map<Expression, Expression>();
  const map: ExpressionMapper = (expression) => {
    let mapped = done.get(expression);
    if (mapped === undefined) {
      mapped = mapper(mapChildren(expression, map));
      // Most leaves do not change, and mapping one again costs less than an entry.
      if (mapped !== expression || !isLeaf(expression)) done.set(expression, mapped);
    }
    return mapped;
  };
  return map;
}

/**
 * Applies `map` to the direct operands of `expression`. Returns the same object if none changes.
 */
export function mapChildren(expression: Expression, map: ExpressionMapper): Expression {
  return dispatchExpression(rebuild, expression, map);
}

/** Applies `map` to the expressions of `coop`. Returns the same object if none changes. */
export function mapCoop(coop: Coop, map: ExpressionMapper): Coop {
  switch (coop.kind) {
    case 'tile':
    case 'cta':
      return coop;
    case 'lanes': {
      const mask = map(coop.mask);
      return mask === coop.mask ? coop : Object.freeze({ ...coop, mask });
    }
    case 'warpSpan': {
      const first = map(coop.first);
      const count = map(coop.count);
      const id = map(coop.id);
      const same = first === coop.first && count === coop.count && id === coop.id;
      return same ? coop : Object.freeze({ ...coop, first, count, id });
    }
  }
}

/** Applies `map` to the expressions of `barrier`. Returns the same object if none changes. */
export function mapBarrier(barrier: NamedBarrier, map: ExpressionMapper): NamedBarrier {
  const name = map(barrier.name);
  const threads = barrier.threads === undefined ? undefined : map(barrier.threads);
  if (name === barrier.name && threads === barrier.threads) return barrier;
  return Object.freeze({ ...barrier, name, ...(threads !== undefined && { threads }) });
}

/**
 * Applies `map` to the expressions of the coops in `statics`. Returns the same object if none
 * changes.
 */
export function mapStatics(statics: readonly Static[], map: ExpressionMapper): readonly Static[] {
  return mapList(statics, (entry) => {
    if (entry.kind !== 'coop') return entry;
    const coop = mapCoop(entry.coop, map);
    return coop === entry.coop ? entry : Object.freeze({ ...entry, coop });
  });
}

/** Applies `map` to each item of `list`. Returns the same array if none changes. */
export function mapList<T>(list: readonly T[], map: (item: T) => T): readonly T[] {
  let changed = false;
  const mapped = list.map((item) => {
    const next = map(item);
    changed ||= next !== item;
    return next;
  });
  return changed ? Object.freeze(mapped) : list;
}

const same: (expression: Expression) => Expression = (expression) => expression;

const rebuild: ExpressionTable<ExpressionMapper, Expression> = {
  constant: same,
  local: same,
  param: same,
  array: same,
  builtin: same,
  field: (e, map) => {
    const base = map(e.base);
    return base === e.base ? e : Object.freeze({ ...e, base });
  },
  unary: (e, map) => {
    const operand = map(e.operand);
    return operand === e.operand ? e : Object.freeze({ ...e, operand });
  },
  binary: (e, map) => {
    const left = map(e.left);
    const right = map(e.right);
    return left === e.left && right === e.right ? e : Object.freeze({ ...e, left, right });
  },
  compare: (e, map) => {
    const left = map(e.left);
    const right = map(e.right);
    return left === e.left && right === e.right ? e : Object.freeze({ ...e, left, right });
  },
  logical: (e, map) => {
    const left = map(e.left);
    const right = map(e.right);
    return left === e.left && right === e.right ? e : Object.freeze({ ...e, left, right });
  },
  select: (e, map) => {
    const condition = map(e.condition);
    const then = map(e.then);
    const otherwise = map(e.else);
    const unchanged = condition === e.condition && then === e.then && otherwise === e.else;
    return unchanged ? e : Object.freeze({ ...e, condition, then, else: otherwise });
  },
  convert: (e, map) => {
    const operand = map(e.operand);
    return operand === e.operand ? e : Object.freeze({ ...e, operand });
  },
  bitcast: (e, map) => {
    const operand = map(e.operand);
    return operand === e.operand ? e : Object.freeze({ ...e, operand });
  },
  math: (e, map) => {
    const args = mapList(e.args, map);
    return args === e.args ? e : Object.freeze({ ...e, args });
  },
  vector: (e, map) => {
    const elements = mapList(e.elements, map);
    return elements === e.elements ? e : Object.freeze({ ...e, elements });
  },
  lane: (e, map) => {
    const vector = map(e.vector);
    const index = map(e.index);
    return vector === e.vector && index === e.index ? e : Object.freeze({ ...e, vector, index });
  },
  withLane: (e, map) => {
    const vector = map(e.vector);
    const index = map(e.index);
    const value = map(e.value);
    const unchanged = vector === e.vector && index === e.index && value === e.value;
    return unchanged ? e : Object.freeze({ ...e, vector, index, value });
  },
  windowPointer: (e, map) => {
    const window = map(e.window);
    const peer = map(e.peer);
    const offset = map(e.offset);
    const unchanged = window === e.window && peer === e.peer && offset === e.offset;
    return unchanged ? e : Object.freeze({ ...e, window, peer, offset });
  },
  addressPointer: (e, map) => {
    const address = map(e.address);
    return address === e.address ? e : Object.freeze({ ...e, address });
  },
  multicastPointer: (e, map) => {
    const window = map(e.window);
    const group = map(e.group);
    const offset = map(e.offset);
    const unchanged = window === e.window && group === e.group && offset === e.offset;
    return unchanged ? e : Object.freeze({ ...e, window, group, offset });
  },
  unicastPointer: (e, map) => {
    const pointer = map(e.pointer);
    const member = map(e.member);
    return pointer === e.pointer && member === e.member ? e : Object.freeze({ ...e, pointer, member });
  },
  multicastSize: (e, map) => {
    const pointer = map(e.pointer);
    return pointer === e.pointer ? e : Object.freeze({ ...e, pointer });
  },
  clusterPointer: (e, map) => {
    const pointer = map(e.pointer);
    const rank = map(e.rank);
    return pointer === e.pointer && rank === e.rank ? e : Object.freeze({ ...e, pointer, rank });
  },
  pointerOffset: (e, map) => {
    const pointer = map(e.pointer);
    const index = map(e.index);
    return pointer === e.pointer && index === e.index ? e : Object.freeze({ ...e, pointer, index });
  },
  pointerCast: (e, map) => {
    const pointer = map(e.pointer);
    return pointer === e.pointer ? e : Object.freeze({ ...e, pointer });
  },
  intrinsic: (e, map) => {
    const statics = mapStatics(e.statics, map);
    const args = mapList(e.args, map);
    const expansion = map(e.expansion);
    const unchanged = statics === e.statics && args === e.args && expansion === e.expansion;
    return unchanged ? e : Object.freeze({ ...e, statics, args, expansion });
  },
};
