import type { ScalarKind } from '@nccl-ts/core';
import { valueBytes, valueWidth } from './bytes.ts';
import { evaluateOperation, type Algebra, type Operation } from './evaluate-operation.ts';
import { hasBinary, hasBitcast, hasCompare, hasConvert, hasMath, hasUnary } from './operations.ts';
import { mathArity } from './scalar-math.ts';
import { isFault, isScalarValue, type ScalarValue } from './scalar-value.ts';
import type { Expression } from '../expression.ts';
import { elementScalar, sameType, type Type, type ValueType } from '../type.ts';
import { dispatchExpression, type ExpressionTable } from '../visit/dispatch.ts';
import { expressionTable } from '../visit/with-defaults.ts';

/** The elements of a value. A scalar has one. */
export type Elements = readonly ScalarValue[];

/**
 * Computes the elements of a constant expression. A scalar has one. Returns `undefined` if
 * `expression` is not constant, if computing it faults, or if it is malformed.
 */
export function evaluateConstant(expression: Expression): Elements | undefined {
  return evaluateWith(expression, evaluateConstant);
}

/** Computes the elements of a node from those of its operands. */
export function evaluateWith(
  expression: Expression,
  operand: (expression: Expression) => Elements | undefined,
): Elements | undefined {
  if (expression.kind === 'constant') {
    return isScalarValue(expression.type.scalar, expression.value) ? [expression.value] : undefined;
  }
  if (expression.kind === 'intrinsic') return operand(expression.expansion);
  if (!isOperation(expression)) return undefined;
  const elements = evaluateOperation(expression, constants, operand);
  const known = elements.filter((element) => element !== 'unknown');
  return known.length < elements.length ? undefined : known;
}

type EvaluateOperand = (expression: Expression) => Elements | undefined;

/** An element, of which a fault or an operand that is not constant may leave nothing known. */
type Element = ScalarValue | 'unknown';

function elementsOf(e: Expression, operand: EvaluateOperand): readonly Element[] {
  return operand(e) ?? Array.from({ length: isValueType(e.type) ? valueWidth(e.type) : 1 }, () => 'unknown');
}

const constants: Algebra<Element, readonly Element[], EvaluateOperand> = {
  elements: elementsOf,
  value: elementsOf,
  lift: (inputs, compute, of) => {
    const known = inputs.filter((input) => input !== 'unknown');
    if (known.length < inputs.length) return 'unknown';
    const result = compute(...known);
    if (isFault(result)) return 'unknown';
    // A JavaScript NaN has no payload, so its bits are known only when the kernel runs. No constant
    // is an infinite e5m2.
    const isSure =
      of.kind !== 'bitcast' ||
      ([...known, result].every((value) => value === value) && isScalarValue(elementScalar(of.type), result));
    return isSure ? result : 'unknown';
  },
  choose: (condition, then, otherwise) =>
    condition === 'unknown' ? [condition] : condition === true ? then() : otherwise(),
  lane: (index, width, _of, result) =>
    typeof index === 'number' && index >= 0 && index < width ? result(index) : ['unknown'],
};

function isValueType(type: Type): type is ValueType {
  return type.kind === 'scalar' || type.kind === 'vector';
}

/** The scalar that a value of `type` consists of. */
function scalarOf(type: Type): ScalarKind | undefined {
  return isValueType(type) ? elementScalar(type) : undefined;
}

/** True if `has` holds for the scalar of all these types, which are one. */
function alike([first, ...others]: readonly Expression[], has: (kind: ScalarKind) => boolean): boolean {
  const kind = first === undefined ? undefined : scalarOf(first.type);
  return kind !== undefined && has(kind) && others.every((e) => first !== undefined && sameType(e.type, first.type));
}

/** True for an operation that the language has. Others are malformed. */
function isOperation(expression: Expression): expression is Operation {
  return dispatchExpression(isDefined, expression, undefined);
}

const isBool = (e: Expression): boolean => e.type.kind === 'scalar' && e.type.scalar === 'bool';

const isDefined: ExpressionTable<undefined, boolean> = /* @__PURE__ */ expressionTable(() => false, {
  unary: (e) => alike([e, e.operand], (kind) => hasUnary(e.op, kind)),
  binary: (e) => alike([e, e.left, e.right], (kind) => hasBinary(e.op, kind)),
  compare: (e) => alike([e.left, e.right], (kind) => hasCompare(e.op, kind)) && e.left.type.kind === 'scalar',
  logical: (e) => isBool(e.left) && isBool(e.right),
  select: (e) => isBool(e.condition),
  convert: (e) => {
    const from = scalarOf(e.operand.type);
    return from !== undefined && hasConvert(from, elementScalar(e.type));
  },
  bitcast: ({ operand: { type: from }, type: to }) =>
    isValueType(from) &&
    valueBytes(from) === valueBytes(to) &&
    hasBitcast(elementScalar(from)) &&
    hasBitcast(elementScalar(to)),
  math: (e) => e.args.length === mathArity[e.function] && alike([e, ...e.args], (kind) => hasMath(e.function, kind)),
  vector: (e) =>
    (e.elements.length === 1 || e.elements.length === e.type.width) &&
    e.elements.every(({ type }) => type.kind === 'scalar' && type.scalar === e.type.element),
  lane: (e) => e.vector.type.kind === 'vector',
  withLane: (e) => e.vector.type.kind === 'vector',
});
