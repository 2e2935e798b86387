import type { Overtaken } from '@nccl-ts/memory-model';
import type { Delivery, Scheduler } from './scheduler.ts';

/**
 * Lets the network perform every step as soon as possible, except one change of a word, which comes
 * when nothing else can happen.
 */
export function overtakingScheduler(tasks: Scheduler, { address, number }: Overtaken): Scheduler {
  const seen = new Set<number>();
  const changes = ({ low, writes }: Delivery): boolean => writes && low === address;
  return {
    ...tasks,
    nextDelivery: (ready: readonly Delivery[], must: boolean) => {
      for (const one of ready) if (changes(one)) seen.add(one.order);
      const held = [...seen].toSorted((a, b) => a - b)[number];
      const choice = ready.findIndex((one) => !changes(one) || one.order !== held);
      return choice === -1 && must ? 0 : choice;
    },
  };
}
