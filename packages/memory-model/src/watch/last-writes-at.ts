import { seenAt } from './explain.ts';
import type { HappensBefore } from './happens-before.ts';
import type { SeenAccess } from './race.ts';

/** The accesses that last wrote the word at a heap address; several, if nothing orders them. */
export function lastWritesAt(order: HappensBefore, address: number): readonly SeenAccess[] {
  return order.shadow.writesAt(address).map((id) => seenAt(id, order.epochs));
}
