import type { Strengthening } from './strengthening.ts';

/** Changes that are made together. */
export type ChangeSet = readonly Strengthening[];

/** The sum of the costs. */
export function costOf(changes: ChangeSet): number {
  return changes.reduce((sum, { cost }) => sum + cost, 0);
}

/** The order of repairs: small changes first. Those that silence come last. */
export function rankOf(changes: ChangeSet): number {
  return costOf(changes) + (changes.some(({ silences }) => silences) ? 100 : 0);
}
