import type { Trial } from './trial.ts';

/** How every program and every mutant is run, until something complains. */
export const trials: readonly Trial[] = [
  { strategy: 'late', seed: 1 },
  { strategy: 'random', seed: 2 },
  { strategy: 'pct', seed: 3 },
  { strategy: 'random', seed: 4 },
];
