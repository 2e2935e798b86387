import type { LaterValue } from './element.ts';

/** A store to a thread's own array: address, size and value. */
export type ArrayStore = readonly [at: number, bytes: number, bits: bigint];

/** The state after the body of a wait: the locals, and the stores to own arrays. */
export type Left = readonly [locals: readonly LaterValue[], stores: readonly ArrayStore[]];

/** True if two waits leave the same state, number by number. */
export function sameLeft(a: unknown, b: unknown): boolean {
  if (!Array.isArray(a) || !Array.isArray(b)) return Object.is(a, b);
  return a.length === b.length && a.every((value, i) => Object.is(value, b[i]) || sameLeft(value, b[i]));
}
