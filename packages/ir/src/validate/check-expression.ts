import { showValue, type ScalarKind } from '@nccl-ts/core';
import { valueBytes } from '../arithmetic/bytes.ts';
import { hasBinary, hasBitcast, hasCompare, hasConvert, hasMath, hasUnary } from '../arithmetic/operations.ts';
import { mathArity } from '../arithmetic/scalar-math.ts';
import { isScalarValue } from '../arithmetic/scalar-value.ts';
import type { Expression, Coop, Static } from '../expression.ts';
import type { Module } from '../module.ts';
import type { Span } from '../span.ts';
import { elementScalar, sameType, scalarType, typeName, type Type, type ValueType } from '../type.ts';
import { expressionChildren } from '../visit/children.ts';
import { dispatchExpression, type ExpressionTable } from '../visit/dispatch.ts';
import { checkType } from './check-types.ts';
import type { ReportMalformed } from './findings.ts';

/** The context of the rules for expressions. */
export interface ExpressionRules {
  readonly module: Module;
  readonly report: ReportMalformed;
  /** Nodes that have been checked. */
  readonly seen: Set<Expression>;
}

interface ExpressionContext extends ExpressionRules {
  readonly span: Span | undefined;
}

/**
 * Checks `expression` and all its parts. `span` is the span of the statement, for nodes without
 * their own.
 */
export function checkExpression(expression: Expression, span: Span, rules: ExpressionRules): void {
  if (rules.seen.has(expression)) return;
  rules.seen.add(expression);
  const here = expression.span ?? span;
  for (const child of expressionChildren(expression)) checkExpression(child, here, rules);
  const { module, report, seen } = rules;
  const node: ExpressionContext = { module, report, seen, span: here };
  checkType(expression.type, here, rules.report);
  dispatchExpression(table, expression, node);
}

/** Checks the parts of a coop that are not expressions. */
export function checkCoop(coop: Coop, span: Span | undefined, report: ReportMalformed): void {
  switch (coop.kind) {
    case 'cta':
      return;
    case 'tile':
      if (![1, 2, 4, 8, 16, 32].includes(coop.size)) {
        report('wrongShape', `a tile has ${coop.size} threads, but must have a power of two up to 32`, span);
      }
      return;
    case 'lanes':
      requireType(coop.mask, scalarType('u32'), 'the mask of lanes', span, report);
      return;
    case 'warpSpan':
      requireType(coop.first, scalarType('u32'), 'the first warp of a span', span, report);
      requireType(coop.count, scalarType('u32'), 'the number of warps of a span', span, report);
      requireType(coop.id, scalarType('u32'), 'the id of a span of warps', span, report);
      return;
  }
}

/** Checks the parts of statics that are not expressions. */
export function checkStatics(statics: readonly Static[], span: Span | undefined, report: ReportMalformed): void {
  for (const entry of statics) {
    if (entry.kind === 'type') checkType(entry.type, span, report);
    if (entry.kind === 'coop') checkCoop(entry.coop, span, report);
  }
}

/** Reports an `expression` that is not of `type`. */
export function requireType(
  expression: Expression,
  type: Type,
  what: string,
  span: Span | undefined,
  report: ReportMalformed,
): void {
  if (sameType(expression.type, type)) return;
  const given = typeName(expression.type);
  report('wrongOperandType', `${what} has type ${given}, expected ${typeName(type)}`, expression.span ?? span);
}

export function isValueType(type: Type): type is ValueType {
  return type.kind === 'scalar' || type.kind === 'vector';
}

function isInteger(type: Type): boolean {
  return type.kind === 'scalar' && hasUnary('bitNot', type.scalar);
}

const bool = scalarType('bool');

function requires(e: Expression, type: Type, what: string, node: ExpressionContext): void {
  requireType(e, type, what, node.span, node.report);
}

/** Reports a node whose type differs from the type of its parts. */
function hasResult(e: Expression, type: Type, node: ExpressionContext): void {
  if (sameType(e.type, type)) return;
  node.report(
    'wrongResultType',
    `${e.kind} has type ${typeName(e.type)}, but its parts give ${typeName(type)}`,
    node.span,
  );
}

function wrongOperand(what: string, given: Type, expected: string, node: ExpressionContext): void {
  node.report('wrongOperandType', `${what} has type ${typeName(given)}, expected ${expected}`, node.span);
}

/** Returns the element scalar of `type`. Reports if there is none, or if `has` rejects it. */
function requireScalar(type: Type, has: (kind: ScalarKind) => boolean, what: string, node: ExpressionContext): void {
  if (isValueType(type) && has(elementScalar(type))) return;
  node.report('wrongOperandType', `${typeName(type)} has no ${what}`, node.span);
}

function requireIndex(index: Expression, node: ExpressionContext): void {
  const { type } = index;
  if (type.kind === 'scalar' && (type.scalar === 'u32' || type.scalar === 'i32')) return;
  wrongOperand('the index of an element', type, 'u32 or i32', node);
}

function declared(
  list: readonly { readonly type: Type }[],
  id: number,
  what: string,
  e: Expression,
  node: ExpressionContext,
): void {
  const declaration = list[id];
  if (declaration === undefined) node.report('unknownReference', `there is no ${what} ${id}`, node.span);
  else hasResult(e, declaration.type, node);
}

const table: ExpressionTable<ExpressionContext, void> = {
  constant: (e, node) => {
    if (isScalarValue(e.type.scalar, e.value)) return;
    node.report('wrongConstant', `${showValue(e.value)} is not a value of ${e.type.scalar}`, node.span);
  },
  local: (e, node) => declared(node.module.locals, e.local, 'local', e, node),
  param: (e, node) => declared(node.module.params, e.param, 'parameter', e, node),
  array: (e, node) => {
    const declaration = node.module.arrays[e.array];
    if (declaration === undefined) node.report('unknownReference', `there is no array ${e.array}`, node.span);
    else hasResult(e, { kind: 'pointer', element: declaration.element, space: declaration.space }, node);
  },
  builtin: (e, node) => hasResult(e, scalarType('u32'), node),
  field: (e, node) => {
    if (e.base.type.kind !== 'handle') wrongOperand(`the base of field ${e.field}`, e.base.type, 'a handle', node);
  },
  unary: (e, node) => {
    hasResult(e, e.operand.type, node);
    const known = e.op !== 'not' || e.operand.type.kind === 'scalar';
    requireScalar(e.operand.type, (kind) => known && hasUnary(e.op, kind), e.op, node);
  },
  binary: (e, node) => {
    hasResult(e, e.left.type, node);
    requires(e.right, e.left.type, `the right operand of ${e.op}`, node);
    requireScalar(e.left.type, (kind) => hasBinary(e.op, kind), e.op, node);
  },
  compare: (e, node) => {
    const { left, right } = e;
    hasResult(e, bool, node);
    if (left.type.kind === 'pointer') {
      const one = right.type.kind === 'pointer' && right.type.space === left.type.space;
      if (!one) wrongOperand(`the right operand of ${e.op}`, right.type, `a ${left.type.space} pointer`, node);
      return;
    }
    requires(right, left.type, `the right operand of ${e.op}`, node);
    requireScalar(left.type, (kind) => left.type.kind === 'scalar' && hasCompare(e.op, kind), e.op, node);
  },
  logical: (e, node) => {
    hasResult(e, bool, node);
    requires(e.left, bool, `the left operand of ${e.op}`, node);
    requires(e.right, bool, `the right operand of ${e.op}`, node);
  },
  select: (e, node) => {
    hasResult(e, e.then.type, node);
    requires(e.condition, bool, 'the condition of a select', node);
    requires(e.else, e.then.type, 'the second choice of a select', node);
  },
  convert: (e, node) => {
    const from = e.operand.type;
    if (from.kind === 'pointer' && sameType(e.type, scalarType('u32'))) return;
    if (from.kind === 'pointer' && from.space === 'global' && sameType(e.type, scalarType('u64'))) return;
    const width = e.type.kind === 'vector' ? e.type.width : 0;
    const shape = isValueType(from) && (from.kind === 'vector' ? from.width : 0) === width;
    requireScalar(
      from,
      (kind) => shape && hasConvert(kind, elementScalar(e.type)),
      `conversion to ${typeName(e.type)}`,
      node,
    );
  },
  bitcast: (e, node) => {
    const from = e.operand.type;
    const fits = isValueType(from) && valueBytes(from) === valueBytes(e.type) && hasBitcast(elementScalar(e.type));
    requireScalar(from, (kind) => fits && hasBitcast(kind), `bitcast to ${typeName(e.type)}`, node);
  },
  math: (e, node) => {
    if (e.args.length !== mathArity[e.function]) {
      const given = `${e.args.length} arguments, expected ${mathArity[e.function]}`;
      node.report('wrongShape', `math.${e.function} has ${given}`, node.span);
    }
    for (const arg of e.args) requires(arg, e.type, `an argument of math.${e.function}`, node);
    requireScalar(e.type, (kind) => hasMath(e.function, kind), `math.${e.function}`, node);
  },
  vector: (e, node) => {
    if (e.elements.length !== 1 && e.elements.length !== e.type.width) {
      const expected = `1 or ${e.type.width}`;
      node.report(
        'wrongShape',
        `${typeName(e.type)} has ${e.elements.length} elements, but needs ${expected}`,
        node.span,
      );
    }
    for (const element of e.elements) requires(element, scalarType(e.type.element), 'an element of a vector', node);
  },
  lane: (e, node) => {
    requireIndex(e.index, node);
    const { type } = e.vector;
    if (type.kind === 'vector') hasResult(e, scalarType(type.element), node);
    else wrongOperand('the operand of an element access', type, 'a vector', node);
  },
  withLane: (e, node) => {
    requireIndex(e.index, node);
    requires(e.vector, e.type, 'the operand of an element replacement', node);
    requires(e.value, scalarType(e.type.element), 'the new element of a vector', node);
  },
  windowPointer: (e, node) => {
    if (e.window.type.kind !== 'handle') wrongOperand('the window of a pointer', e.window.type, 'a handle', node);
    requires(e.peer, scalarType('i32'), 'the peer of a window pointer', node);
    requires(e.offset, scalarType('addr'), 'the offset of a window pointer', node);
    if (e.type.space !== 'global') wrongOperand('a window pointer', e.type, 'a global pointer', node);
  },
  addressPointer: (e, node) => {
    const { type } = e.address;
    const is = type.kind === 'scalar' && (type.scalar === 'u64' || type.scalar === 'addr');
    if (!is) wrongOperand('the address of a pointer', type, 'u64 or addr', node);
    if (e.type.space !== 'global') wrongOperand('an address pointer', e.type, 'a global pointer', node);
  },
  multicastPointer: (e, node) => {
    if (e.window.type.kind !== 'handle') wrongOperand('the window of a pointer', e.window.type, 'a handle', node);
    requires(e.group, scalarType('addr'), 'the group of a multicast pointer', node);
    requires(e.offset, scalarType('addr'), 'the offset of a multicast pointer', node);
    if (e.type.space !== 'global') wrongOperand('a multicast pointer', e.type, 'a global pointer', node);
  },
  unicastPointer: (e, node) => {
    requires(e.pointer, e.type, 'the pointer that a member has', node);
    requires(e.member, scalarType('i32'), 'the member of a multicast group', node);
    if (e.type.space !== 'global') wrongOperand('a unicast pointer', e.type, 'a global pointer', node);
  },
  multicastSize: (e, node) => {
    hasResult(e, scalarType('i32'), node);
    if (e.pointer.type.kind !== 'pointer') wrongOperand('what has members', e.pointer.type, 'a pointer', node);
  },
  clusterPointer: (e, node) => {
    requires(e.pointer, e.type, 'the pointer that a CTA of the cluster has', node);
    requires(e.rank, scalarType('u32'), 'the rank of a CTA in its cluster', node);
    if (e.type.space !== 'shared') wrongOperand('a cluster pointer', e.type, 'a shared pointer', node);
  },
  pointerOffset: (e, node) => {
    requires(e.pointer, e.type, 'the pointer that is moved', node);
    const { type } = e.index;
    const counts = isInteger(type) || (type.kind === 'scalar' && type.scalar === 'addr');
    if (!counts) wrongOperand('the elements a pointer is moved by', type, 'an integer', node);
  },
  pointerCast: (e, node) => {
    const { type } = e.pointer;
    const same = type.kind === 'pointer' && type.space === e.type.space;
    if (!same) wrongOperand('the pointer that is cast', type, `a ${e.type.space} pointer`, node);
  },
  intrinsic: (e, node) => {
    hasResult(e, e.expansion.type, node);
    checkStatics(e.statics, node.span, node.report);
  },
};
