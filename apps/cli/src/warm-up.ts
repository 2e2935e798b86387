/** A turn that is faster by less than this part of the best one so far is no faster. */
const STEADY = 0.05;

/** So many turns in a row that are no faster, and what takes them is warm. */
const PATIENCE = 3;

/** Milliseconds after which what is still becoming faster is measured as it is. */
const MOST_TIME = 5000;

export interface WarmUpOptions {
  /** Turns that each takes in any case; 0 for no warming up at all. */
  readonly least: number;
  /** Milliseconds from some point on. Default: `performance.now`. */
  readonly now?: () => number;
}

/**
 * Lets each contender take turns until it becomes no faster: code that has just been compiled is
 * slow, how slow depends on which is first, and rules that are made from such times choose what
 * happened to be warm. `takeTurn` answers how long a turn took.
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
