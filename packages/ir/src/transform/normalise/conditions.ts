import { scalarInfo } from '@nccl-ts/core';
import { binary, compare, logical, select, unary } from '../../build/operation.ts';
import type {
  BinaryExpression,
  BinaryOp,
  CompareOp,
  Expression,
  LogicalExpression,
  SelectExpression,
} from '../../expression.ts';
import type { Type } from '../../type.ts';
import { dispatchExpression, type ExpressionTable } from '../../visit/dispatch.ts';
import { expressionTable } from '../../visit/with-defaults.ts';
import { foldNode } from '../fold-constants.ts';

/**
 * Normalises one node whose operands are in normal form. Every rule is exact, including faults and
 * NaN.
 */
export function normaliseNode(e: Expression): Expression {
  return dispatchExpression(normalForms, foldNode(e), undefined);
}

const normalForms: ExpressionTable<undefined, Expression> = /* @__PURE__ */ expressionTable((e) => e, {
  compare: (e) => (e.op === 'gt' || e.op === 'ge' ? swapped(e.op, e.left, e.right) : e),
  unary: (e) => (e.op === 'not' ? negate(e.operand) : e),
  logical: (e) => toTheRight(e),
  select: (e) => normaliseSelect(e),
  binary: (e) => withoutNegation(e),
});

/** Rewrites `a + -b` as `a - b`, which is exact for floats too. */
function withoutNegation(e: BinaryExpression): Expression {
  const { op, left, right } = e;
  if (right.kind === 'unary' && right.op === 'neg') {
    if (op === 'add') return binary('sub', left, right.operand);
    if (op === 'sub') return binary('add', left, right.operand);
  }
  return op === 'add' && left.kind === 'unary' && left.op === 'neg' ? binary('sub', right, left.operand) : e;
}

const swappedOp: Readonly<Record<'gt' | 'ge', CompareOp>> = { gt: 'lt', ge: 'le' };

function swapped(op: 'gt' | 'ge', left: Expression, right: Expression): Expression {
  return compare(swappedOp[op], right, left);
}

/** True if the values of `type` are totally ordered. Floats are not, because of NaN. */
function isTotallyOrdered(type: Type): boolean {
  return type.kind === 'pointer' || (type.kind === 'scalar' && scalarInfo[type.scalar].class !== 'float');
}

/** The normal form of `!e`, for an `e` in normal form. */
export function negate(e: Expression): Expression {
  if (e.kind === 'unary' && e.op === 'not') return e.operand;
  if (e.kind === 'constant' && typeof e.value === 'boolean') return foldNode(unary('not', e));
  if (e.kind === 'logical') return logical(e.op === 'and' ? 'or' : 'and', negate(e.left), negate(e.right));
  if (e.kind !== 'compare') return unary('not', e);
  switch (e.op) {
    case 'eq':
      return compare('ne', e.left, e.right);
    case 'ne':
      return compare('eq', e.left, e.right);
    case 'lt':
      return isTotallyOrdered(e.left.type) ? compare('le', e.right, e.left) : unary('not', e);
    case 'le':
      return isTotallyOrdered(e.left.type) ? compare('lt', e.right, e.left) : unary('not', e);
    case 'gt':
    case 'ge':
      return negate(swapped(e.op, e.left, e.right));
  }
}

/**
 * True if the negation of a condition is the normal form, for an `if` with two non-empty branches.
 * Never true for both.
 */
export function prefersNegation(e: Expression): boolean {
  if (e.kind === 'unary') return e.op === 'not';
  if (e.kind === 'logical') return e.op === 'or';
  if (e.kind !== 'compare') return false;
  return e.op === 'ne' || (e.op === 'le' && isTotallyOrdered(e.left.type));
}

/** Rewrites `(a && b) && c` as `a && (b && c)`. */
function toTheRight(e: LogicalExpression): Expression {
  const { left } = e;
  if (left.kind !== 'logical' || left.op !== e.op) return e;
  return logical(e.op, left.left, toTheRight(logical(e.op, left.right, e.right)));
}

function normaliseSelect(e: SelectExpression): Expression {
  const { condition, then, else: otherwise } = e;
  if (then.kind === 'constant' && typeof then.value === 'boolean') {
    return then.value
      ? toTheRight(logical('or', condition, otherwise))
      : toTheRight(logical('and', negate(condition), otherwise));
  }
  if (otherwise.kind === 'constant' && typeof otherwise.value === 'boolean') {
    return otherwise.value
      ? toTheRight(logical('or', negate(condition), then))
      : toTheRight(logical('and', condition, then));
  }
  return prefersNegation(condition) ? select(negate(condition), otherwise, then) : e;
}

const commutative: Readonly<Record<BinaryOp, boolean>> = {
  add: true,
  sub: false,
  mul: true,
  div: false,
  rem: false,
  and: true,
  or: true,
  xor: true,
  shl: false,
  shr: false,
  min: true,
  max: true,
};

/** Sorts the operands of commutative operations by their `key`. */
export function orderNode(e: Expression, key: (e: Expression) => string): Expression {
  if (e.kind === 'binary' && commutative[e.op] && key(e.right) < key(e.left)) return binary(e.op, e.right, e.left);
  if (e.kind === 'compare' && (e.op === 'eq' || e.op === 'ne') && key(e.right) < key(e.left)) {
    return compare(e.op, e.right, e.left);
  }
  return e;
}
