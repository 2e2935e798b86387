import type { Expression, LaneExpression, VectorExpression, WithLaneExpression } from '../expression.ts';
import type { Span } from '../span.ts';
import { scalarType, typeName, type VectorType } from '../type.ts';
import { malformed } from './malformed.ts';
import { spanned } from './spanned.ts';

/** Makes a vector of `type` from all its `elements`, or from one element that is repeated. */
export function vector(type: VectorType, elements: readonly Expression[], span?: Span): VectorExpression {
  return spanned({ kind: 'vector', type, elements: Object.freeze([...elements]) }, span);
}

/** Throws `NCCL_INTERNAL_ERROR` if `of` is not a vector. */
export function lane(of: Expression, index: Expression, span?: Span): LaneExpression {
  return spanned({ kind: 'lane', type: scalarType(vectorTypeOf(of, 'lane').element), vector: of, index }, span);
}

/** Replaces element `index` of `of`. Throws `NCCL_INTERNAL_ERROR` if `of` is not a vector. */
export function withLane(of: Expression, index: Expression, value: Expression, span?: Span): WithLaneExpression {
  return spanned({ kind: 'withLane', type: vectorTypeOf(of, 'withLane'), vector: of, index, value }, span);
}

function vectorTypeOf(expression: Expression, requested: string): VectorType {
  const { type } = expression;
  if (type.kind !== 'vector') throw malformed(requested, typeName(type), 'a vector');
  return type;
}
