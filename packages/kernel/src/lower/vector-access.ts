import {
  constant,
  lane,
  pointerCast,
  pointerOffset,
  scalarType,
  vector,
  type AtomicAccess,
  type Expression,
  type Span,
  type VectorType,
} from '@nccl-ts/ir';
import type { Lowering } from './lowering.ts';

/*
 * As PTX defines it, a relaxed access of a vector is one access of each element, in no order.
 * Backends with vector instructions combine these accesses again. They find them because the
 * accesses are adjacent and start from one pointer to the vector. The checker needs to know which
 * accesses are parts of one instruction.
 */

/** Loads the elements of the vector that `pointer` points at, each by a separate access. */
export function loadElements(
  l: Lowering,
  pointer: Expression,
  type: VectorType,
  span: Span,
  access: AtomicAccess,
): Expression {
  const elementAt = elementsOf(l, pointer, type, span);
  const elements = Array.from({ length: type.width }, (_, i) => {
    const element = l.resultLocal('v', scalarType(type.element), span);
    l.emit({ kind: 'load', local: element.local, pointer: elementAt(i), access: partOf(access, i, type), span });
    return element;
  });
  return l.temp('v', vector(type, elements, span), span);
}

/** Stores the elements of a vector, each by a separate access. */
export function storeElements(
  l: Lowering,
  pointer: Expression,
  value: Expression,
  type: VectorType,
  span: Span,
  access: AtomicAccess,
): void {
  const elementAt = elementsOf(l, pointer, type, span);
  const stored = l.temp('v', value, span);
  for (let i = 0; i < type.width; i++) {
    const part = lane(stored, constant('u32', i, span), span);
    l.emit({ kind: 'store', pointer: elementAt(i), value: part, access: partOf(access, i, type), span });
  }
}

function partOf(access: AtomicAccess, index: number, { width }: VectorType): AtomicAccess {
  return { ...access, part: { index, of: width } };
}

function elementsOf(l: Lowering, pointer: Expression, { element }: VectorType, span: Span): (i: number) => Expression {
  const first = pointerCast(scalarType(element), l.temp('at', pointer, span), span);
  return (i) => (i === 0 ? first : pointerOffset(first, constant('u32', i, span), span));
}
