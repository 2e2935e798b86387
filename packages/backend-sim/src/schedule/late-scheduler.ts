import type { Delivery, Scheduler, Task } from './scheduler.ts';
import { Xoshiro128 } from './xoshiro128.ts';

/**
 * Lets one CTA go as far as it can before another has a turn, in an order by chance: what others should have done by then and need
 * not have is not done. The network does something only where nothing else can happen.
 */
export function lateScheduler(seed: number): Scheduler {
  const random = Xoshiro128.seeded(seed);
  const ranks = new Map<number, number>();
  let last = -1;
  const rankOf = (task: Task): number => {
    const key = keyOf(task);
    const known = ranks.get(key);
    if (known !== undefined) return known;
    const fresh = random.nextU32();
    ranks.set(key, fresh);
    return fresh;
  };
  return {
    unfair: true,
    newExecution: () => {},
    wasHere: () => false,
    nextTask: (round: readonly Task[], first: number) => {
      let best = first;
      const weight = (task: Task): number =>
        rankOf(task) + task.yields * 2 ** 32 - (keyOf(task) === last ? 2 ** 32 : 0);
      for (let i = first; i < round.length; i++) {
        const task = round[i];
        const chosen = round[best];
        if (task !== undefined && chosen !== undefined && weight(task) < weight(chosen)) best = i;
      }
      const chosen = round[best];
      last = chosen === undefined ? -1 : keyOf(chosen);
      return best;
    },
    nextDelivery: (ready: readonly Delivery[], must: boolean) => (must ? random.below(ready.length) : -1),
    nextU64: () => random.nextU64(),
  };
}

/** No grid has more than 2^31 CTAs. */
function keyOf({ launch, cta }: Task): number {
  return launch * 2 ** 31 + cta;
}
