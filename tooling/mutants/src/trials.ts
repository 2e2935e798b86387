import type { Trial } from './trial.ts';

/** The trials of every program and every mutant, until one reports an error. */
export const trials: readonly Trial[] = [
  { strategy: 'late', seed: 1 },
  { strategy: 'random', seed: 2 },
  { strategy: 'pct', seed: 3 },
  { strategy: 'random', seed: 4 },
];
