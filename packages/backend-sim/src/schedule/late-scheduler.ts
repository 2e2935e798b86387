import { Interruptions } from './interruptions.ts';
import type { Delivery, Scheduler, RunnableCta } from './scheduler.ts';
import { Xoshiro128 } from './xoshiro128.ts';

/** The order in which tasks run, smallest first, in 32 bits. */
export type LateOrder = (task: RunnableCta) => number;

/**
 * Lets one CTA run as far as it can before another one runs, in the given order or at random. So
 * work of other CTAs that is usually finished by then, but without a guarantee, is not. The network
 * performs a step only if nothing else can happen.
 */
export function lateScheduler(seed: number, order?: LateOrder): Scheduler {
  const random = Xoshiro128.seeded(seed);
  const interruptions = new Interruptions(seed, 1);
  const ranks = new Map<number, number>();
  /**
   * The time of each CTA's last turn. Among CTAs that yield, the one that ran longest ago
   * continues.
   */
  const lastTurns = new Map<number, number>();
  let turn = 0;
  let last = -1;
  // If many CTAs wait for the first one, a random order hardly ever leaves no room for it.
  const isBackwards = seed % 2 === 1;
  const rankOf = (task: RunnableCta): number => {
    const key = keyOf(task);
    const known = ranks.get(key);
    if (known !== undefined) return known;
    const fresh = order?.(task) ?? random.nextU32();
    ranks.set(key, fresh);
    return fresh;
  };
  return {
    unfair: true,
    newExecution: () => {},
    wasHere: () => false,
    nextTask: (round: readonly RunnableCta[], first: number) => {
      let best = first;
      const weight = (task: RunnableCta): number =>
        task.yields > 0
          ? task.yields * 2 ** 32 + (lastTurns.get(keyOf(task)) ?? 0)
          : rankOf(task) - (keyOf(task) === last ? 2 ** 32 : 0);
      for (let i = first; i < round.length; i++) {
        const task = round[i];
        const chosen = round[best];
        if (task !== undefined && chosen !== undefined && weight(task) < weight(chosen)) best = i;
      }
      const chosen = round[best];
      if (chosen === undefined) return best;
      last = keyOf(chosen);
      lastTurns.set(last, ++turn);
      interruptions.turn(chosen);
      return best;
    },
    choose: (count: number) => (isBackwards ? count - 1 : random.below(count)),
    nextDelivery: (ready: readonly Delivery[], must: boolean) => (must ? random.below(ready.length) : -1),
    interrupts: (number: number, isAct: boolean) => interruptions.interrupts(number, isAct),
    nextU64: () => random.nextU64(),
  };
}

/** A grid has at most 2^31 CTAs. */
function keyOf({ launch, cta }: RunnableCta): number {
  return launch * 2 ** 31 + cta;
}
