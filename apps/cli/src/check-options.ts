import type { Command } from 'commander';
import type { CheckOptions } from '@nccl-ts/backend-sim';
import type { RunPlanOptions } from './plan-run.ts';
import { UsageError } from './usage-error.ts';

/** Of a window. */
export const DEFAULT_BYTES: number = 2 ** 16;

export const DEFAULT_RESIDENT_CTAS = 132;

export const strategyNames = ['random', 'pct', 'late'] as const;

/** What `nccl-ts check` is told. */
export interface CheckCommandOptions extends RunPlanOptions {
  readonly ranks: number;
  readonly lsaSize?: number;
  readonly residentCtas: number;
  readonly fuel?: number;
  readonly strategy: (typeof strategyNames)[number];
  readonly schedules: number;
  readonly seed: number;
  readonly depth?: number;
  readonly replay?: string;
  readonly exhaustive?: true;
  readonly bound?: number;
  readonly strict?: true;
  readonly shrink?: true;
  readonly json?: true;
  readonly sarif?: string;
}

/** Options that say nothing beside others, each with those and why. */
const excluded: readonly (readonly [keyof CheckCommandOptions, readonly (keyof CheckCommandOptions)[], string])[] = [
  ['exhaustive', ['strategy', 'schedules', 'seed', 'depth', 'replay'], '--exhaustive goes through all schedules'],
  ['replay', ['strategy', 'schedules', 'depth'], '--replay is one schedule'],
];

/** @throws UsageError where two options contradict each other, or one says nothing without another. */
export function checkExclusions(options: CheckCommandOptions, command: Command): void {
  const isGiven = (name: keyof CheckCommandOptions): boolean => command.getOptionValueSource(name) === 'cli';
  const { ranks, lsaSize = ranks } = options;
  if (ranks % lsaSize !== 0) {
    throw new UsageError(`--lsa-size ${lsaSize}: it must divide the number of ranks, ${ranks}`);
  }
  for (const [name, others, why] of excluded) {
    const other = isGiven(name) ? others.find(isGiven) : undefined;
    if (other !== undefined) throw new UsageError(`${why}: it leaves nothing to --${other}`);
  }
  if (isGiven('depth') && options.strategy !== 'pct') {
    throw new UsageError(`--depth is for --strategy pct, and this is --strategy ${options.strategy}`);
  }
  if (isGiven('bound') && options.exhaustive !== true) throw new UsageError('--bound is for --exhaustive');
}

/** What the engine is asked for. */
export function engineOptions(options: CheckCommandOptions): CheckOptions {
  const { ranks, lsaSize = ranks, residentCtas, fuel, seed, strategy, schedules, depth, replay, bound } = options;
  const machine = {
    ranks,
    lsaSize,
    residentCtas,
    strict: options.strict === true,
    ...(fuel === undefined ? {} : { fuel }),
  };
  if (options.exhaustive === true) {
    return { ...machine, strategy: 'exhaustive', ...(bound === undefined ? {} : { bound }) };
  }
  if (replay !== undefined) return { ...machine, strategy: 'replay', replay, seed };
  return { ...machine, strategy, schedules, seed, ...(depth === undefined ? {} : { depth }) };
}
