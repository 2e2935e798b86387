import type { ScalarKind } from '@nccl-ts/core';
import {
  binary,
  bitcast,
  compare,
  constant,
  convert,
  lane,
  logical,
  math,
  scalarType,
  select,
  unary,
  type BinaryOp,
  type CompareOp,
  type Expression,
} from '@nccl-ts/ir';

// Short forms of expressions for the lowerings. A number means a constant of the other operand's
// type.

/** The scalar type of an expression or of its elements. */
export function kindOf(e: Expression): ScalarKind {
  return e.type.kind === 'scalar' ? e.type.scalar : e.type.kind === 'vector' ? e.type.element : 'u64';
}

/**
 * Makes a constant of `scalar`. 64-bit integers become bigints, and floats must be values of their
 * type.
 */
export function number(scalar: ScalarKind, value: number): Expression {
  return constant(scalar, scalar === 'i64' || scalar === 'u64' ? BigInt(value) : value);
}

function operand(value: Expression | number, like: Expression): Expression {
  return typeof value === 'number' ? number(kindOf(like), value) : value;
}

type BinaryBuilder = (left: Expression, right: Expression | number) => Expression;

function operation(op: BinaryOp): BinaryBuilder {
  return (left, right) => binary(op, left, operand(right, left));
}

export const add: BinaryBuilder = operation('add');
export const sub: BinaryBuilder = operation('sub');
export const mul: BinaryBuilder = operation('mul');
export const and: BinaryBuilder = operation('and');
export const or: BinaryBuilder = operation('or');
export const xor: BinaryBuilder = operation('xor');
/** The count must be below the width: the IR masks it. */
export const shl: BinaryBuilder = operation('shl');
/** The count must be below the width: the IR masks it. */
export const shr: BinaryBuilder = operation('shr');
export const min: BinaryBuilder = operation('min');
export const max: BinaryBuilder = operation('max');

export function not(e: Expression): Expression {
  return unary(kindOf(e) === 'bool' ? 'not' : 'bitNot', e);
}

export function is(op: CompareOp, left: Expression, right: Expression | number): Expression {
  return compare(op, left, operand(right, left));
}

export function both(left: Expression, right: Expression): Expression {
  return logical('and', left, right);
}

export function either(left: Expression, right: Expression): Expression {
  return logical('or', left, right);
}

/** `condition ? then : otherwise`. At least one of the two is an expression. */
export function choose(condition: Expression, then: Expression, otherwise: Expression | number): Expression {
  return select(condition, then, operand(otherwise, then));
}

/** Converts the value to `scalar`, if it has another type. */
export function to(scalar: ScalarKind, e: Expression): Expression {
  return kindOf(e) === scalar ? e : convert(scalarType(scalar), e);
}

/** Reinterprets the bits as a `scalar` of the same size, if the value has another type. */
export function bits(scalar: ScalarKind, e: Expression): Expression {
  return e.type.kind === 'scalar' && e.type.scalar === scalar ? e : bitcast(scalarType(scalar), e);
}

export function isNaN(e: Expression): Expression {
  return compare('ne', e, e);
}

export function abs(e: Expression): Expression {
  return math('abs', [e]);
}

/** Element number `index` of a vector. */
export function element(e: Expression, index: number): Expression {
  return lane(e, constant('u32', index));
}

/** The number in a constant of at most 32 bits. */
export function constantOf(e: Expression): number | undefined {
  return e.kind === 'constant' && typeof e.value === 'number' ? e.value : undefined;
}
