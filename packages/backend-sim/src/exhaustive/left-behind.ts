import type { Value } from './element.ts';

/** A store in a thread's own array: where, how many bytes, and what. */
export type OwnStore = readonly [at: number, bytes: number, bits: bigint];

/** What the body of a wait leaves behind: what the locals are, and what it has stored. */
export type Left = readonly [locals: readonly Value[], stores: readonly OwnStore[]];

/** Whether two waits leave the same behind, number by number. */
export function sameLeft(a: unknown, b: unknown): boolean {
  if (!Array.isArray(a) || !Array.isArray(b)) return Object.is(a, b);
  return a.length === b.length && a.every((value, i) => Object.is(value, b[i]) || sameLeft(value, b[i]));
}
