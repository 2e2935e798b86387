import type {
  BinaryExpression,
  BinaryOp,
  BitcastExpression,
  CompareExpression,
  CompareOp,
  ConvertExpression,
  Expression,
  LogicalExpression,
  MathExpression,
  MathFunction,
  SelectExpression,
  UnaryExpression,
  UnaryOp,
} from '../expression.ts';
import type { Span } from '../span.ts';
import { scalarType, type ValueType } from '../type.ts';
import { malformed } from './malformed.ts';
import { spanned } from './spanned.ts';

/** The result has the operand's type. */
export function unary(op: UnaryOp, operand: Expression, span?: Span): UnaryExpression {
  return spanned({ kind: 'unary', type: operand.type, op, operand }, span);
}

/** The result has the type of `left`, and `right` must have the same type. */
export function binary(op: BinaryOp, left: Expression, right: Expression, span?: Span): BinaryExpression {
  return spanned({ kind: 'binary', type: left.type, op, left, right }, span);
}

export function compare(op: CompareOp, left: Expression, right: Expression, span?: Span): CompareExpression {
  return spanned({ kind: 'compare', type: scalarType('bool'), op, left, right }, span);
}

/** Short-circuit `and` or `or` of two bools. */
export function logical(op: 'and' | 'or', left: Expression, right: Expression, span?: Span): LogicalExpression {
  return spanned({ kind: 'logical', type: scalarType('bool'), op, left, right }, span);
}

/** The result has the type of `then`, and `otherwise` must have the same type. */
export function select(condition: Expression, then: Expression, otherwise: Expression, span?: Span): SelectExpression {
  return spanned({ kind: 'select', type: then.type, condition, then, else: otherwise }, span);
}

export function convert(type: ValueType, operand: Expression, span?: Span): ConvertExpression {
  return spanned({ kind: 'convert', type, operand }, span);
}

/** The caller has checked that both types have the same size. */
export function bitcast(type: ValueType, operand: Expression, span?: Span): BitcastExpression {
  return spanned({ kind: 'bitcast', type, operand }, span);
}

/** The result has the type of the first argument. Throws `NCCL_INTERNAL_ERROR` if there is none. */
export function math(name: MathFunction, args: readonly Expression[], span?: Span): MathExpression {
  const first = args[0];
  if (first === undefined) throw malformed(`math.${name}`, 'no arguments', 'at least one');
  return spanned({ kind: 'math', type: first.type, function: name, args: Object.freeze([...args]) }, span);
}
