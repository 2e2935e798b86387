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
 * A relaxed access of a vector is one of each element, in no order, as PTX defines it. Backends
 * whose instructions take several elements put these together again: the accesses stand next to
 * each other, and all of them begin at one pointer to the vector.
 */

/** Loads the elements of the vector that `pointer` points at, each by an access of its own. */
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
    l.emit({ kind: 'load', local: element.local, pointer: elementAt(i), access, span });
    return element;
  });
  return l.temp('v', vector(type, elements, span), span);
}

/** Stores the elements of a vector, each by an access of its own. */
export function storeElements(
  l: Lowering,
  pointer: Expression,
  value: Expression,
  type: VectorType,
  span: Span,
  access: AtomicAccess,
): void {
  const elementAt = elementsOf(l, pointer, type, span);
  const kept = l.temp('v', value, span);
  for (let i = 0; i < type.width; i++) {
    l.emit({ kind: 'store', pointer: elementAt(i), value: lane(kept, constant('u32', i, span), span), access, span });
  }
}

function elementsOf(l: Lowering, pointer: Expression, { element }: VectorType, span: Span): (i: number) => Expression {
  const first = pointerCast(scalarType(element), l.temp('at', pointer, span), span);
  return (i) => (i === 0 ? first : pointerOffset(first, constant('u32', i, span), span));
}
