import { at, NcclError, scalarInfo, type ScalarKind } from '@nccl-ts/core';
import { bitcastBytes, valueWidth } from './bytes.ts';
import { scalarBinary } from './scalar-binary.ts';
import { scalarCompare } from './scalar-compare.ts';
import { scalarConvert } from './scalar-convert.ts';
import { scalarMath } from './scalar-math.ts';
import { scalarUnary } from './scalar-unary.ts';
import type { ScalarFault, ScalarValue } from './scalar-value.ts';
import type { Expression } from '../expression.ts';
import { elementScalar, type Type, type ValueType } from '../type.ts';
import type { ExpressionByKind } from '../visit/dispatch.ts';

/** The expressions that compute numbers and vectors from their operands, and from nothing else. */
export type Operation = ExpressionByKind[
  | 'unary'
  | 'binary'
  | 'compare'
  | 'logical'
  | 'select'
  | 'convert'
  | 'bitcast'
  | 'math'
  | 'vector'
  | 'lane'
  | 'withLane'];

/**
 * How to compute with elements of which some are not known, now or ever. `Value` is the value of an
 * expression of any type, and `Context` is handed on to the operands.
 */
export interface Algebra<Element, Value, Context> {
  /** Evaluates an operand that is a number or vector. A number has one element. */
  elements(operand: Expression, context: Context): readonly Element[];
  value(operand: Expression, context: Context): Value;
  /** Applies `compute` to elements. Only if it `mayFault` can its result be a fault. */
  lift(
    inputs: readonly Element[],
    compute: (...values: readonly ScalarValue[]) => ScalarValue | ScalarFault,
    of: Operation,
    mayFault: boolean,
  ): Element;
  /** Evaluates only the operand that the condition chooses, if the condition is known. */
  choose<Result extends Value | readonly Element[]>(
    condition: Element,
    then: () => Result,
    otherwise: () => Result,
  ): Result | readonly Element[];
  /** Returns the result for the lane that `index` names, of a vector with `width` lanes. */
  lane(index: Element, width: number, of: Operation, result: (lane: number) => readonly Element[]): readonly Element[];
}

/** Computes an operation whose operands have the types that its kind requires. */
export function evaluateOperation<Element, Value, Context>(
  e: Operation,
  algebra: Algebra<Element, Value, Context>,
  context: Context,
): Value | readonly Element[] {
  const elements = (operand: Expression): readonly Element[] => algebra.elements(operand, context);
  const first = (operand: Expression): Element => at(elements(operand), 0);
  switch (e.kind) {
    case 'unary': {
      const kind = kindOf(e.type);
      return elements(e.operand).map((a) => algebra.lift([a], (x) => scalarUnary(e.op, kind, x), e, false));
    }
    case 'binary': {
      const kind = kindOf(e.type);
      const mayFault = ((e.op === 'div' || e.op === 'rem') && scalarInfo[kind].class === 'int') || kind === 'addr';
      const compute = (x: ScalarValue, y: ScalarValue): ScalarValue | ScalarFault => scalarBinary(e.op, kind, x, y);
      const right = elements(e.right);
      return elements(e.left).map((a, i) => algebra.lift([a, at(right, i)], compute, e, mayFault));
    }
    case 'compare':
      return [algebra.lift([first(e.left), first(e.right)], (x, y) => scalarCompare(e.op, x, y), e, false)];
    case 'logical': {
      const right = (): readonly Element[] => elements(e.right);
      const decided = (): readonly Element[] => [algebra.lift([], () => e.op === 'or', e, false)];
      return e.op === 'and'
        ? algebra.choose(first(e.left), right, decided)
        : algebra.choose(first(e.left), decided, right);
    }
    case 'select':
      return algebra.choose(
        first(e.condition),
        () => algebra.value(e.then, context),
        () => algebra.value(e.else, context),
      );
    case 'convert': {
      const [from, to] = [kindOf(e.operand.type), elementScalar(e.type)];
      return elements(e.operand).map((a) => algebra.lift([a], (x) => scalarConvert(from, to, x), e, to === 'addr'));
    }
    case 'bitcast': {
      const from = numeric(e.operand.type);
      const given = elements(e.operand);
      const compute =
        (i: number) =>
        (...values: readonly ScalarValue[]): ScalarValue =>
          at(bitcastBytes(from, e.type, values), i);
      return Array.from({ length: valueWidth(e.type) }, (_, i) => algebra.lift(given, compute(i), e, false));
    }
    case 'math': {
      const kind = kindOf(e.type);
      const compute = (...values: readonly ScalarValue[]): ScalarValue => scalarMath(e.function, kind, values);
      const [head = [], ...others] = e.args.map(elements);
      return head.map((a, i) => algebra.lift([a, ...others.map((arg) => at(arg, i))], compute, e, false));
    }
    case 'vector': {
      const parts = e.elements.map(first);
      return parts.length === 1 ? Array.from({ length: e.type.width }, () => at(parts, 0)) : parts;
    }
    case 'lane': {
      const vector = elements(e.vector);
      return algebra.lane(first(e.index), vector.length, e, (lane) => [at(vector, lane)]);
    }
    case 'withLane': {
      const vector = elements(e.vector);
      return algebra.lane(first(e.index), vector.length, e, (lane) => vector.with(lane, first(e.value)));
    }
  }
}

function numeric(type: Type): ValueType {
  if (type.kind === 'scalar' || type.kind === 'vector') return type;
  throw new NcclError('NCCL_INTERNAL_ERROR', `Cannot compute with a ${type.kind}, because it is not a number.`);
}

function kindOf(type: Type): ScalarKind {
  return elementScalar(numeric(type));
}
