import {
  binary,
  compare,
  constant,
  local,
  logical,
  unary,
  type Expression,
  type LocalId,
  type Statement,
  type Type,
} from '@nccl-ts/ir';
import type { Lowering } from '../lowering.ts';

/** A constant u32. */
export function u32(value: number): Expression {
  return constant('u32', value >>> 0);
}

export function add(left: Expression, right: Expression): Expression {
  return binary('add', left, right);
}

export function sub(left: Expression, right: Expression): Expression {
  return binary('sub', left, right);
}

export function and(left: Expression, right: Expression): Expression {
  return binary('and', left, right);
}

export function or(left: Expression, right: Expression): Expression {
  return binary('or', left, right);
}

export function equal(left: Expression, right: Expression): Expression {
  return compare('eq', left, right);
}

export function not(value: Expression): Expression {
  return unary('not', value);
}

export function either(left: Expression, right: Expression): Expression {
  return logical('or', left, right);
}

/** True if bit `index` of a u32 is set. */
export function hasBit(bits: Expression, index: Expression): Expression {
  return compare('ne', and(binary('shr', bits, index), u32(1)), u32(0));
}

/** A local that statements set, and its value. */
export interface Variable {
  readonly id: LocalId;
  readonly value: Expression;
}

export function variable(lowering: Lowering, name: string, type: Type): Variable {
  const id = lowering.local(name, type);
  return { id, value: local(id, type) };
}

/** `variable = value`. */
export function set({ span }: Lowering, { id }: Variable, value: Expression): Statement {
  return { kind: 'assign', local: id, value, span };
}

/** Statements that run if a condition is true. */
export function when(
  { span }: Lowering,
  condition: Expression,
  then: readonly Statement[],
  otherwise: readonly Statement[] = [],
): Statement {
  return { kind: 'if', condition, then, else: otherwise, span };
}

/** A loop that counts `index` up to `end`. `index` must be 0 before. */
export function count(lowering: Lowering, index: Variable, end: Expression, body: readonly Statement[]): Statement {
  const one = end.type.kind === 'scalar' && end.type.scalar === 'i32' ? constant('i32', 1) : u32(1);
  return {
    kind: 'loop',
    condition: compare('lt', index.value, end),
    body,
    update: [set(lowering, index, add(index.value, one))],
    span: lowering.span,
  };
}
