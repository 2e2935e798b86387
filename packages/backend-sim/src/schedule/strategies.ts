import { NcclError, showValue } from '@nccl-ts/core';
import type { Strategy } from './strategy.ts';
import { hastyScheduler } from './hasty-scheduler.ts';
import { lateScheduler } from './late-scheduler.ts';
import { pctScheduler } from './pct-scheduler.ts';
import { randomScheduler } from './random-scheduler.ts';
import { replayScheduler } from './replay-scheduler.ts';
import type { Scheduler } from './scheduler.ts';

export interface StrategyChoice {
  readonly strategy: Strategy;
  readonly seed: number;
  readonly depth: number;
  readonly replay: string;
}

const schedulers: Readonly<Record<Strategy, (choice: StrategyChoice) => Scheduler>> = Object.freeze({
  random: ({ seed }) => randomScheduler(seed),
  pct: ({ seed, depth }) => pctScheduler(seed, depth),
  late: ({ seed }) => lateScheduler(seed),
  hasty: ({ seed }) => hastyScheduler(seed),
  replay: ({ seed, replay }) => {
    const { strategy, choices } = partsOf(replay);
    return replayScheduler(choices, seed, { unfair: strategy !== 'random', hasty: strategy === 'hasty' });
  },
});

export function schedulerOf(choice: StrategyChoice): Scheduler {
  return schedulers[choice.strategy](choice);
}

type Recorded = Exclude<Strategy, 'replay'>;

const letters: Readonly<Record<Recorded, string>> = Object.freeze({ random: 'r', pct: 'p', late: 'l', hasty: 'h' });

/**
 * Returns the argument of `replay`: the strategy's letter, which defines the alternatives, and the
 * choices. For a replay, it is the letter of the original strategy.
 */
export function replayText(strategy: Strategy, choices: string, replay: string): string {
  return `${letters[strategy === 'replay' ? partsOf(replay).strategy : strategy]}:${choices}`;
}

/** Returns the strategy, or that of the replayed run. */
export function strategyOf(strategy: Strategy, replay: string): Exclude<Strategy, 'replay'> {
  return strategy === 'replay' ? partsOf(replay).strategy : strategy;
}

/** True if the network delivers as late as possible under a strategy. */
export function deliversLate(strategy: Strategy, replay: string): boolean {
  return ['late', 'hasty'].includes(strategyOf(strategy, replay));
}

/** True if a strategy lets one thread of each CTA lag behind. */
export function strategyStraggles(strategy: Strategy, replay: string): boolean {
  return strategyOf(strategy, replay) === 'late';
}

/** True if a strategy interrupts threads between their ordered accesses. */
export function interruptsThreads(strategy: Strategy, replay: string): boolean {
  return ['pct', 'late'].includes(strategyOf(strategy, replay));
}

function partsOf(replay: string): { readonly strategy: Recorded; readonly choices: string } {
  for (const strategy of ['random', 'pct', 'late', 'hasty'] as const) {
    if (replay.startsWith(`${letters[strategy]}:`)) return { strategy, choices: replay.slice(2) };
  }
  throw new NcclError(
    'NCCL_INVALID_ARGUMENT',
    `replay must be what a finding says of its schedule: r:, p:, l: or h: and choices; given ${showValue(replay)}.`,
  );
}
