import { lateScheduler } from './late-scheduler.ts';
import type { GivesUp, Scheduler, RunnableCta } from './scheduler.ts';
import { Xoshiro128 } from './xoshiro128.ts';

/**
 * The number of ways in which waits give up. Way 0: all of them do. The last way: each does with an
 * even chance, each time that it checks. Any other way n: only those at the n-th place in the
 * kernels that a thread reaches. All ways but the last limit how often a thread gives up at one
 * place.
 */
export const HASTY_WAYS = 64;

/**
 * The largest number of times that a thread gives up at one place. A flush checks its limit for
 * each rank, even if there is nothing to wait for.
 */
const MOST_TIMES = 32;

/** A scheduler under which waits give up. */
export interface HastyScheduler extends Scheduler {
  readonly givesUp: GivesUp;
  /** The numbers of waits with a time limit whose condition has not held so far. */
  readonly places: ReadonlyMap<string, number>;
}

/**
 * Like `lateScheduler`, but waits with a time limit give up, as if their thread had been suspended
 * for long. The seed decides which of them, as `HASTY_WAYS` describes. Of two seeds that are
 * `HASTY_WAYS` apart, one prefers low ranks, and the other prefers high ranks.
 */
export function hastyScheduler(seed: number): HastyScheduler {
  const variant = seed % HASTY_WAYS;
  const isReversed = Math.floor(seed / HASTY_WAYS) % 2 === 1;
  const order = (task: RunnableCta): number => (isReversed ? 2 ** 32 - 1 - ctaKey(task) : ctaKey(task));
  const random = Xoshiro128.seeded(seed);
  const pointNumbers = new Map<string, number>();
  const givesUp = (pointKey: string, before: number): boolean => {
    const number = pointNumbers.get(pointKey) ?? pointNumbers.size + 1;
    pointNumbers.set(pointKey, number);
    if (variant === HASTY_WAYS - 1) return random.below(2) === 1;
    // A loop that waits again must not run forever.
    return before < MOST_TIMES && (variant === 0 || number === variant);
  };
  const late = lateScheduler(seed, order);
  return {
    unfair: true,
    places: pointNumbers,
    givesUp,
    newExecution: () => late.newExecution(),
    wasHere: (state) => late.wasHere(state),
    nextTask: (round, first) => late.nextTask(round, first),
    choose: (count) => late.choose(count),
    nextDelivery: (ready, must, moment) => late.nextDelivery(ready, must, moment),
    // Interrupting a thread before its wait would let the network do what the thread waits for.
    nextU64: () => late.nextU64(),
  };
}

/** Orders by rank, then by launch, as far as 32 bits allow. */
function ctaKey({ rank, launch, cta }: RunnableCta): number {
  return rank * 2 ** 20 + (launch % 2 ** 10) * 2 ** 10 + (cta % 2 ** 10);
}
