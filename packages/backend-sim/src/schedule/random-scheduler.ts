import type { Delivery, Scheduler, RunnableCta } from './scheduler.ts';
import { Xoshiro128 } from './xoshiro128.ts';

/**
 * Gives every order of a round the same probability. The random sequence continues from one
 * execution to the next.
 */
export function randomScheduler(seed: number): Scheduler {
  const random = Xoshiro128.seeded(seed);
  return {
    newExecution: () => {},
    wasHere: () => false,
    nextTask: (round: readonly RunnableCta[], first: number) => first + random.below(round.length - first),
    choose: (count: number) => (count > 1 ? random.below(count) : 0),
    nextDelivery: (ready: readonly Delivery[], must: boolean) =>
      must || random.below(2) === 0 ? random.below(ready.length) : -1,
    nextU64: () => random.nextU64(),
  };
}
