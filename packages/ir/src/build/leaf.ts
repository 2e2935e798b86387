import type { ScalarKind } from '@nccl-ts/core';
import type {
  ArrayExpression,
  ArrayId,
  Builtin,
  BuiltinExpression,
  ConstantExpression,
  Expression,
  FieldExpression,
  LocalExpression,
  LocalId,
  ParamExpression,
} from '../expression.ts';
import type { ArrayDeclaration } from '../module.ts';
import type { Span } from '../span.ts';
import { pointerType, scalarType, type Type } from '../type.ts';
import { spanned } from './spanned.ts';

/**
 * Makes a constant of `scalar` without converting `value`. It must be a boolean for bool, and a
 * bigint for i64 and u64. Otherwise it is a number, already rounded and in range, as
 * `scalarConvert` returns it.
 */
export function constant(scalar: ScalarKind, value: number | bigint | boolean, span?: Span): ConstantExpression {
  return spanned({ kind: 'constant', type: scalarType(scalar), value }, span);
}

export function local(id: LocalId, type: Type, span?: Span): LocalExpression {
  return spanned({ kind: 'local', type, local: id }, span);
}

/** Parameter number `index` of the module. */
export function param(index: number, type: Type, span?: Span): ParamExpression {
  return spanned({ kind: 'param', type, param: index }, span);
}

/** Makes the address of array `id`, which `declaration` describes. */
export function array(
  id: ArrayId,
  declaration: Pick<ArrayDeclaration, 'space' | 'element'>,
  span?: Span,
): ArrayExpression {
  return spanned({ kind: 'array', type: pointerType(declaration.element, declaration.space), array: id }, span);
}

export function builtin(name: Builtin, span?: Span): BuiltinExpression {
  return spanned({ kind: 'builtin', type: scalarType('u32'), builtin: name }, span);
}

/** Field `name` of the handle `base`; the package that declares the handle defines its `type`. */
export function field(base: Expression, name: string, type: Type, span?: Span): FieldExpression {
  return spanned({ kind: 'field', type, base, field: name }, span);
}
