/** A measurement must be faster than the best one so far by this fraction to count as faster. */
const STEADY = 0.05;

/** An algorithm is warm after this many measurements in a row without a faster one. */
const PATIENCE = 3;

/** The milliseconds after which an algorithm is measured even if it still becomes faster. */
const MOST_TIME = 5000;

export interface WarmUpOptions {
  /** The smallest number of measurements of each; 0 for no warm-up. */
  readonly least: number;
  /** Returns the milliseconds since some fixed point. @default `performance.now` */
  readonly now?: () => number;
}

/**
 * Runs the contenders in turn until none becomes faster. Freshly compiled code is slow, and how
 * slow depends on the order. Rules from such times would prefer algorithms that happened to be
 * warm. `takeTurn` returns the duration of one run.
 */
export async function warmUp<T>(
  contenders: readonly T[],
  takeTurn: (contender: T) => Promise<number>,
  { least, now = () => performance.now() }: WarmUpOptions,
): Promise<void> {
  if (least === 0) return;
  const began = now();
  let cold = contenders.map((contender) => ({ contender, best: Infinity, turns: 0, patience: PATIENCE }));
  while (cold.length > 0) {
    for (const one of cold) {
      const time = await takeTurn(one.contender);
      one.turns++;
      one.patience = time < one.best * (1 - STEADY) ? PATIENCE : one.patience - 1;
      one.best = Math.min(one.best, time);
    }
    const isLate = now() - began > MOST_TIME;
    cold = cold.filter(({ turns, patience }) => turns < least || (patience > 0 && !isLate));
  }
}
