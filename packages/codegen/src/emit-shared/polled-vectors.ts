import { loadsIn, walkBody, type Body, type LoadStatement } from '@nccl-ts/ir';
import { byteSize, widthOf } from './types.ts';

/**
 * Returns the sizes in bytes of the vectors with which a program's threads wait: in its waits, and
 * by the loads of loops that end by a vote. Such a vector has its flag beside its data, or its data
 * is the flag, so that a plain store of it may end a wait.
 */
export function polledVectors(body: Body, voting: Iterable<LoadStatement>): ReadonlySet<number> {
  const loads = [...voting];
  walkBody(body, {
    statement: (s) => {
      if (s.kind === 'wait' || s.kind === 'waitAll') loads.push(...loadsIn(s.body));
    },
  });
  const sizes = new Set<number>();
  for (const { pointer, access } of loads) {
    if (pointer.type.kind !== 'pointer') continue;
    const { element } = pointer.type;
    // A strong load of a vector is one of each element.
    const parts = access?.part?.of ?? 1;
    if (parts * widthOf(element) > 1) sizes.add(parts * byteSize(element));
  }
  return sizes;
}
