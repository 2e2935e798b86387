import type { ScalarKind } from '@nccl-ts/core';
import { bitcastBytes, valueBytes, valueWidth } from './bytes.ts';
import { hasBinary, hasBitcast, hasCompare, hasConvert, hasMath, hasUnary } from './operations.ts';
import { scalarBinary } from './scalar-binary.ts';
import { scalarCompare } from './scalar-compare.ts';
import { scalarConvert } from './scalar-convert.ts';
import { mathArity, scalarMath } from './scalar-math.ts';
import { scalarUnary } from './scalar-unary.ts';
import { isFault, isScalarValue, type ScalarFault, type ScalarValue } from './scalar-value.ts';
import type { Expression } from '../expression.ts';
import { elementScalar, type Type, type ValueType } from '../type.ts';
import { dispatchExpression, type ExpressionTable } from '../visit/dispatch.ts';

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
  return dispatchExpression(table, expression, operand);
}

type Operand = (expression: Expression) => Elements | undefined;

const unknown = (): undefined => undefined;

/** The scalar that a value of `type` consists of. */
function scalarOf(type: Type): ScalarKind | undefined {
  return type.kind === 'scalar' || type.kind === 'vector' ? elementScalar(type) : undefined;
}

function isValueType(type: Type): type is ValueType {
  return type.kind === 'scalar' || type.kind === 'vector';
}

/**
 * Applies `compute` to the operands element by element. In well-typed IR their widths are equal.
 */
function elementwise(
  operands: readonly (Elements | undefined)[],
  compute: (values: readonly ScalarValue[]) => ScalarValue | ScalarFault | undefined,
): Elements | undefined {
  const known = operands.filter((elements) => elements !== undefined);
  const [first] = known;
  if (first === undefined || known.length < operands.length) return undefined;
  const results: ScalarValue[] = [];
  for (let index = 0; index < first.length; index++) {
    const values: ScalarValue[] = [];
    for (const elements of known) {
      const value = elements[index];
      if (value === undefined) return undefined;
      values.push(value);
    }
    const result = compute(values);
    if (result === undefined || isFault(result)) return undefined;
    results.push(result);
  }
  return results;
}

function pair(
  left: Elements | undefined,
  right: Elements | undefined,
  compute: (a: ScalarValue, b: ScalarValue) => ScalarValue | ScalarFault,
): Elements | undefined {
  return elementwise([left, right], ([a, b]) => (a === undefined || b === undefined ? undefined : compute(a, b)));
}

function each(
  operand: Elements | undefined,
  compute: (a: ScalarValue) => ScalarValue | ScalarFault,
): Elements | undefined {
  return elementwise([operand], ([a]) => (a === undefined ? undefined : compute(a)));
}

function sameScalar(...expressions: readonly Expression[]): boolean {
  const [first] = expressions;
  return expressions.every((e) => first !== undefined && scalarOf(e.type) === scalarOf(first.type));
}

function indexBelow(elements: Elements | undefined, width: number): number | undefined {
  const index = elements?.[0];
  return typeof index === 'number' && index >= 0 && index < width ? index : undefined;
}

const table: ExpressionTable<Operand, Elements | undefined> = {
  constant: (e) => (isScalarValue(e.type.scalar, e.value) ? [e.value] : undefined),
  local: unknown,
  param: unknown,
  array: unknown,
  builtin: unknown,
  field: unknown,
  unary: (e, operand) => {
    const kind = scalarOf(e.operand.type);
    if (kind === undefined || !hasUnary(e.op, kind)) return undefined;
    return each(operand(e.operand), (a) => scalarUnary(e.op, kind, a));
  },
  binary: (e, operand) => {
    const kind = scalarOf(e.type);
    if (kind === undefined || !hasBinary(e.op, kind) || !sameScalar(e, e.left, e.right)) return undefined;
    return pair(operand(e.left), operand(e.right), (a, b) => scalarBinary(e.op, kind, a, b));
  },
  compare: (e, operand) => {
    const kind = scalarOf(e.left.type);
    if (kind === undefined || !hasCompare(e.op, kind) || !sameScalar(e.left, e.right)) return undefined;
    return pair(operand(e.left), operand(e.right), (a, b) => scalarCompare(e.op, a, b));
  },
  logical: (e, operand) => {
    const left = operand(e.left)?.[0];
    if (typeof left !== 'boolean') return undefined;
    if (left === (e.op === 'or')) return [left];
    const right = operand(e.right);
    return typeof right?.[0] === 'boolean' ? right : undefined;
  },
  select: (e, operand) => {
    const condition = operand(e.condition)?.[0];
    if (typeof condition !== 'boolean') return undefined;
    return operand(condition ? e.then : e.else);
  },
  convert: (e, operand) => {
    const from = scalarOf(e.operand.type);
    const to = elementScalar(e.type);
    if (from === undefined || !hasConvert(from, to)) return undefined;
    return each(operand(e.operand), (a) => scalarConvert(from, to, a));
  },
  bitcast: (e, operand) => {
    const from = e.operand.type;
    if (!isValueType(from) || valueBytes(from) !== valueBytes(e.type)) return undefined;
    if (!hasBitcast(elementScalar(from)) || !hasBitcast(elementScalar(e.type))) return undefined;
    const values = operand(e.operand);
    if (values === undefined || values.length !== valueWidth(from)) return undefined;
    const cast = bitcastBytes(from, e.type, values);
    // A JavaScript NaN has no payload, so its bits are known only when the kernel runs. No constant
    // is an infinite e5m2.
    const known =
      [...values, ...cast].every((value) => value === value) &&
      cast.every((value) => isScalarValue(elementScalar(e.type), value));
    return known ? cast : undefined;
  },
  math: (e, operand) => {
    const kind = scalarOf(e.type);
    if (kind === undefined || !hasMath(e.function, kind) || !sameScalar(e, ...e.args)) return undefined;
    if (e.args.length !== mathArity[e.function]) return undefined;
    return elementwise(e.args.map(operand), (values) => scalarMath(e.function, kind, values));
  },
  vector: (e, operand) => {
    const elements: ScalarValue[] = [];
    for (const element of e.elements) {
      const value = operand(element)?.[0];
      if (value === undefined || !isScalarValue(e.type.element, value)) return undefined;
      elements.push(value);
    }
    const [only] = elements;
    if (elements.length === 1 && only !== undefined) return Array.from({ length: e.type.width }, () => only);
    return elements.length === e.type.width ? elements : undefined;
  },
  lane: (e, operand) => {
    const elements = operand(e.vector);
    const index = indexBelow(operand(e.index), elements?.length ?? 0);
    const value = index === undefined ? undefined : elements?.[index];
    return value === undefined ? undefined : [value];
  },
  withLane: (e, operand) => {
    const elements = operand(e.vector);
    const index = indexBelow(operand(e.index), elements?.length ?? 0);
    const value = operand(e.value)?.[0];
    if (elements === undefined || index === undefined || value === undefined) return undefined;
    return elements.with(index, value);
  },
  windowPointer: unknown,
  addressPointer: unknown,
  multicastPointer: unknown,
  unicastPointer: unknown,
  multicastSize: unknown,
  pointerOffset: unknown,
  pointerCast: unknown,
  intrinsic: (e, operand) => operand(e.expansion),
};
