import { constant } from '../build/leaf.ts';
import { unary } from '../build/operation.ts';
import { vector } from '../build/vector.ts';
import { scalarInfo } from '@nccl-ts/core';
import type {
  BinaryExpression,
  ConstantExpression,
  Expression,
  LogicalExpression,
  SelectExpression,
} from '../expression.ts';
import type { Module } from '../module.ts';
import { mayFault } from '../regions/may-fault.ts';
import type { Body, Statement } from '../statement.ts';
import { sameType } from '../type.ts';
import { dispatchExpression, dispatchStatement, type ExpressionTable, type StatementTable } from '../visit/dispatch.ts';
import { expressionTable, statementTable } from '../visit/with-defaults.ts';
import { mapBody } from '../visit/map-body.ts';
import { mapExpression } from '../visit/map-expression.ts';
import { evaluateWith, type Elements } from '../arithmetic/evaluate-constant.ts';

/**
 * Computes all constant parts of `expression`, and applies identities that are exact for every
 * value. The result has the same value and the same faults.
 *
 * Parts that fault are not folded. Constants keep the span of the expression that they replace.
 */
export function fold(expression: Expression): Expression {
  return mapExpression(expression, foldNode);
}

/**
 * Folds the expressions of `body`, and removes branches and loops whose conditions are constant and
 * false.
 */
export function foldBody(body: Body): Body {
  return mapBody(body, { expression: foldNode, statement: (s) => dispatchStatement(folded, s, undefined) });
}

/** Folds the body of `module`. Its declarations do not change. */
export function foldModule(module: Module): Module {
  const body = foldBody(module.body);
  return body === module.body ? module : Object.freeze({ ...module, body });
}

/** Folds one node whose operands are already folded. */
export function foldNode(e: Expression): Expression {
  if (e.kind === 'constant') return e;
  const elements = evaluateWith(e, elementsOf);
  return elements === undefined ? dispatchExpression(simpler, e, undefined) : constantOf(e, elements);
}

function elementsOf(e: Expression): Elements | undefined {
  if (e.kind !== 'constant' && e.kind !== 'vector') return undefined;
  return evaluateWith(e, (element) => (element.kind === 'constant' ? evaluateWith(element, elementsOf) : undefined));
}

function constantOf(e: Expression, elements: Elements): Expression {
  const { type } = e;
  if (type.kind === 'vector') {
    if (e.kind === 'vector') return e;
    const parts = elements.map((value) => constant(type.element, value));
    return vector(type, parts, e.span);
  }
  const [value] = elements;
  return type.kind === 'scalar' && value !== undefined ? constant(type.scalar, value, e.span) : e;
}

const simpler: ExpressionTable<undefined, Expression> = /* @__PURE__ */ expressionTable((e) => e, {
  unary: (e) => simplifyDouble(e.op, e.operand) ?? e,
  binary: (e) => simplifyBinary(e) ?? e,
  logical: (e) => simplifyLogical(e) ?? e,
  select: (e) => simplifySelect(e) ?? e,
  convert: (e) => (sameType(e.type, e.operand.type) ? e.operand : e),
  bitcast: (e) => (sameType(e.type, e.operand.type) ? e.operand : e),
  pointerOffset: (e) => (isConstant(e.index, 0) ? e.pointer : e),
  pointerCast: (e) => (sameType(e.type, e.pointer.type) ? e.pointer : e),
  lane: (e) =>
    e.vector.kind === 'vector' && e.index.kind === 'constant'
      ? (elementAt(e.vector.elements, e.vector.type.width, e.index) ?? e)
      : e,
});

/** Removes double negations. */
function simplifyDouble(op: string, operand: Expression): Expression | undefined {
  if (operand.kind !== 'unary' || operand.op !== op) return undefined;
  return op === 'neg' || op === 'not' || op === 'bitNot' ? operand.operand : undefined;
}

/** True if `e` is the constant `value`, of any integer type. */
function isConstant(e: Expression, value: number): boolean {
  if (e.kind !== 'constant' || scalarInfo[e.type.scalar].class === 'float') return false;
  return e.value === value || (typeof e.value === 'bigint' && e.value === BigInt(value));
}

function simplifyBinary(e: BinaryExpression): Expression | undefined {
  if (e.type.kind !== 'scalar' || scalarInfo[e.type.scalar].class === 'float') return undefined;
  const { left, right } = e;
  if (!sameType(left.type, e.type) || !sameType(right.type, e.type)) return undefined;
  switch (e.op) {
    case 'add':
    case 'or':
    case 'xor':
      return isConstant(right, 0) ? left : isConstant(left, 0) ? right : undefined;
    case 'sub':
    case 'shl':
    case 'shr':
      return isConstant(right, 0) ? left : undefined;
    case 'mul':
      if (isConstant(right, 1)) return left;
      if (isConstant(left, 1)) return right;
      return zeroOf(right, left) ?? zeroOf(left, right);
    case 'and':
      return zeroOf(right, left) ?? zeroOf(left, right);
    case 'div':
      return isConstant(right, 1) ? left : undefined;
    case 'rem':
    case 'min':
    case 'max':
      return undefined;
  }
}

/** Returns `zero` if it is a zero and `other` cannot fault. */
function zeroOf(zero: Expression, other: Expression): Expression | undefined {
  return isConstant(zero, 0) && !mayFault(other) ? zero : undefined;
}

const truth = (e: Expression): boolean | undefined =>
  e.kind === 'constant' && typeof e.value === 'boolean' ? e.value : undefined;

function simplifyLogical(e: LogicalExpression): Expression | undefined {
  // The value that decides the result alone: false for `and`, true for `or`.
  const decides = e.op === 'or';
  const left = truth(e.left);
  if (left !== undefined) return left === decides ? e.left : e.right;
  const right = truth(e.right);
  if (right === undefined) return undefined;
  if (right !== decides) return e.left;
  return mayFault(e.left) ? undefined : e.right;
}

function simplifySelect(e: SelectExpression): Expression | undefined {
  const condition = truth(e.condition);
  if (condition !== undefined) return condition ? e.then : e.else;
  const then = truth(e.then);
  const otherwise = truth(e.else);
  if (then === true && otherwise === false) return e.condition;
  if (then === false && otherwise === true) return foldNode(unary('not', e.condition, e.span));
  return undefined;
}

function elementAt(elements: readonly Expression[], width: number, index: ConstantExpression): Expression | undefined {
  if (typeof index.value !== 'number' || index.value < 0 || index.value >= width) return undefined;
  const found = elements.length === 1 ? elements[0] : elements[index.value];
  return elements.some((element) => element !== found && mayFault(element)) ? undefined : found;
}

const folded: StatementTable<undefined, Statement | Body> = /* @__PURE__ */ statementTable<undefined, Statement | Body>(
  (s) => s,
  {
    if: (s) => {
      const condition = truth(s.condition);
      if (condition === undefined) return s;
      return condition ? s.then : s.else;
    },
    loop: (s) => (s.condition !== undefined && truth(s.condition) === false ? [] : s),
    assert: (s) => (truth(s.condition) === true ? [] : s),
  },
);
