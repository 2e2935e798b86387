import type { Strategy } from '../sim-options.ts';
import { lateScheduler } from './late-scheduler.ts';
import { pctScheduler } from './pct-scheduler.ts';
import { randomScheduler } from './random-scheduler.ts';
import type { Scheduler } from './scheduler.ts';

export interface StrategyChoice {
  readonly strategy: Strategy;
  readonly seed: number;
  readonly depth: number;
}

const schedulers: Readonly<Record<Strategy, (choice: StrategyChoice) => Scheduler>> = Object.freeze({
  random: ({ seed }) => randomScheduler(seed),
  pct: ({ seed, depth }) => pctScheduler(seed, depth),
  late: ({ seed }) => lateScheduler(seed),
});

export function schedulerOf(choice: StrategyChoice): Scheduler {
  return schedulers[choice.strategy](choice);
}
