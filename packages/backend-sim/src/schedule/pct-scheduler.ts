import { Interruptions } from './interruptions.ts';
import type { Delivery, Scheduler, RunnableCta } from './scheduler.ts';
import { Xoshiro128 } from './xoshiro128.ts';

/** The assumed number of slices of a run, from which the moments of priority changes are drawn. */
const TURNS = 256;

/**
 * The number of turns for which a CTA that has yielded stays behind all others. Without a limit, it
 * would never run while others only yield.
 */
const TURNS_BEHIND = 4;

/**
 * Probabilistic concurrency testing. Every CTA has a random priority, and the runnable CTA with the
 * highest priority runs. At `depth - 1` random moments, the running CTA gets the lowest priority.
 * An error that needs `depth` steps in one order is found with a probability of at least 1 in
 * `CTAs * TURNS ** (depth - 1)`.
 *
 * A CTA that only yields also gets the lowest priority, so that the event for which it polls can
 * happen. So does a CTA with a thread that is interrupted between ordered accesses. With a `depth`
 * of 1 no thread is interrupted.
 *
 * @see Burckhardt et al., A Randomized Scheduler with Probabilistic Guarantees of Finding Bugs,
 *   ASPLOS 2010
 */
export function pctScheduler(seed: number, depth: number): Scheduler {
  const random = Xoshiro128.seeded(seed);
  const priorities = new Map<string, number>();
  const changes = new Set(Array.from({ length: depth - 1 }, () => random.below(TURNS)));
  const interruptions = new Interruptions(seed, depth - 1);
  let turn = 0;
  let lowest = 0;
  const priorityOf = (task: RunnableCta): number => {
    const key = `${task.launch}/${task.cta}`;
    const known = priorities.get(key);
    if (known !== undefined) return known;
    const fresh = 1 + random.nextU32();
    priorities.set(key, fresh);
    return fresh;
  };
  const lower = (task: RunnableCta): void => void priorities.set(`${task.launch}/${task.cta}`, --lowest);
  /** By CTA: the number of its yields, and the turns in which it was lowered for the last one. */
  const lowered = new Map<string, { readonly yields: number; turns: number }>();
  const lowerForYields = (task: RunnableCta): void => {
    const { launch, cta, yields } = task;
    if (yields % 2 === 0) return;
    const key = `${launch}/${cta}`;
    const known = lowered.get(key);
    const now = known?.yields === yields ? known : { yields, turns: 0 };
    lowered.set(key, now);
    if (now.turns++ < TURNS_BEHIND) lower(task);
  };
  return {
    unfair: true,
    newExecution: () => {},
    wasHere: () => false,
    nextTask: (round: readonly RunnableCta[], first: number) => {
      let best = first;
      for (let i = first; i < round.length; i++) {
        const task = round[i];
        const chosen = round[best];
        if (task === undefined || chosen === undefined) continue;
        lowerForYields(task);
        if (priorityOf(task) > priorityOf(chosen)) best = i;
      }
      const chosen = round[best];
      if (chosen !== undefined) interruptions.turn(chosen);
      if (chosen !== undefined && changes.has(turn++ % TURNS)) lower(chosen);
      return best;
    },
    choose: (count: number) => random.below(count),
    nextDelivery: (ready: readonly Delivery[], must: boolean) =>
      must || random.below(4) === 0 ? random.below(ready.length) : -1,
    interrupts: (number: number, isAct: boolean) => interruptions.interrupts(number, isAct),
    nextU64: () => random.nextU64(),
  };
}
