import type {
  ClusterPointerExpression,
  AddressPointerExpression,
  Expression,
  MulticastPointerExpression,
  MulticastSizeExpression,
  PointerCastExpression,
  PointerOffsetExpression,
  UnicastPointerExpression,
  WindowPointerExpression,
} from '../expression.ts';
import type { Span } from '../span.ts';
import { pointerType, scalarType, typeName, type PointerType, type ValueType } from '../type.ts';
import { malformed } from './malformed.ts';
import { spanned } from './spanned.ts';

/**
 * Makes the address of byte `offset` (addr) of the copy of `window` at LSA rank `peer` (i32).
 * `element` is the element type.
 */
export function windowPointer(
  element: ValueType,
  window: Expression,
  peer: Expression,
  offset: Expression,
  span?: Span,
): WindowPointerExpression {
  return spanned({ kind: 'windowPointer', type: pointerType(element, 'global'), window, peer, offset }, span);
}

/** Makes the global pointer with element type `element` at a device address (u64 or addr). */
export function addressPointer(element: ValueType, address: Expression, span?: Span): AddressPointerExpression {
  return spanned({ kind: 'addressPointer', type: pointerType(element, 'global'), address }, span);
}

/**
 * Makes the multicast address of byte `offset` (addr) of `window`, over the ranks of `group`
 * (addr).
 */
export function multicastPointer(
  element: ValueType,
  window: Expression,
  group: Expression,
  offset: Expression,
  span?: Span,
): MulticastPointerExpression {
  return spanned({ kind: 'multicastPointer', type: pointerType(element, 'global'), window, group, offset }, span);
}

/**
 * Makes the unicast address that a multicast address has at member `member` (i32). Throws
 * `NCCL_INTERNAL_ERROR` if the operand is not a pointer.
 */
export function unicastPointer(pointer: Expression, member: Expression, span?: Span): UnicastPointerExpression {
  return spanned({ kind: 'unicastPointer', type: pointerTypeOf(pointer, 'unicastPointer'), pointer, member }, span);
}

/** Makes the number of members that a multicast address reaches, an i32. */
export function multicastSize(pointer: Expression, span?: Span): MulticastSizeExpression {
  return spanned({ kind: 'multicastSize', type: scalarType('i32'), pointer }, span);
}

/**
 * Makes the address of the same byte in the shared memory of the CTA with this rank (u32) in the
 * cluster. Throws `NCCL_INTERNAL_ERROR` if the operand is not a pointer.
 */
export function clusterPointer(pointer: Expression, rank: Expression, span?: Span): ClusterPointerExpression {
  return spanned({ kind: 'clusterPointer', type: pointerTypeOf(pointer, 'clusterPointer'), pointer, rank }, span);
}

/** Moves `pointer` by `index` elements. Throws `NCCL_INTERNAL_ERROR` if it is not a pointer. */
export function pointerOffset(pointer: Expression, index: Expression, span?: Span): PointerOffsetExpression {
  return spanned({ kind: 'pointerOffset', type: pointerTypeOf(pointer, 'pointerOffset'), pointer, index }, span);
}

/**
 * Makes the same address with element type `element`. Throws `NCCL_INTERNAL_ERROR` if `pointer` is
 * not a pointer.
 */
export function pointerCast(element: ValueType, pointer: Expression, span?: Span): PointerCastExpression {
  const { space } = pointerTypeOf(pointer, 'pointerCast');
  return spanned({ kind: 'pointerCast', type: pointerType(element, space), pointer }, span);
}

function pointerTypeOf(expression: Expression, requested: string): PointerType {
  const { type } = expression;
  if (type.kind !== 'pointer') throw malformed(requested, typeName(type), 'a pointer');
  return type;
}
