import type { Command } from 'commander';
import type { CheckOptions } from '@nccl-ts/checker';
import type { AcceptRule } from './accept-rule.ts';
import type { KernelValues } from '../launch/kernel-values.ts';
import type { SequenceName } from '../launch/launch-sequence.ts';
import { UsageError } from '../usage-error.ts';

/** The default size of a window. */
export const DEFAULT_BYTES: number = 2 ** 16;

export const DEFAULT_RESIDENT_CTAS = 132;

/** The default for a named strategy. `auto` has its own number. */
export const DEFAULT_SCHEDULES = 10;

export const strategyNames = ['auto', 'random', 'pct', 'late', 'hasty'] as const;

/** The options of `nccl-ts check`. */
export interface CheckCommandOptions extends KernelValues {
  readonly kernel?: string;
  readonly ranks: number;
  /** @default false */
  readonly areRanksGiven?: boolean;
  readonly lsaSize?: number;
  readonly grid: number;
  readonly block: number;
  readonly bytes: number;
  readonly residentCtas: number;
  readonly fuel?: number;
  readonly sequence?: readonly SequenceName[];
  readonly wrap?: 16 | 31 | 32;
  readonly wrapWindow?: readonly string[];
  readonly strategy: (typeof strategyNames)[number];
  readonly schedules?: number;
  readonly seed: number;
  readonly depth?: number;
  /** In seconds. */
  readonly time?: number;
  readonly replay?: string;
  readonly exhaustive?: true;
  readonly bound?: number;
  readonly strict?: true;
  readonly shrink?: true;
  readonly baseline?: string;
  readonly updateBaseline?: true;
  readonly accept?: readonly AcceptRule[];
  /** The module that describes the launches of a `.cu` or `.ptx` file. */
  readonly harness?: string;
  /** The arguments after `--`. */
  readonly compilerFlags?: readonly string[];
  readonly watch?: true;
  readonly json?: true;
  readonly sarif?: string;
}

type OptionName = keyof CheckCommandOptions;

/** Options that have no effect together with others, each with those options and the reason. */
const excluded: readonly (readonly [OptionName, readonly OptionName[], string])[] = [
  ['exhaustive', ['strategy', 'schedules', 'seed', 'depth', 'replay'], '--exhaustive explores every schedule'],
  ['replay', ['strategy', 'schedules', 'depth'], '--replay runs one schedule'],
  ['watch', ['json', 'updateBaseline'], '--watch prints text reports until you stop it'],
];

/** Options that only have an effect together with another one. */
const needed: readonly (readonly [OptionName, OptionName])[] = [
  ['bound', 'exhaustive'],
  ['updateBaseline', 'baseline'],
  ['wrapWindow', 'wrap'],
];

/**
 * @throws UsageError if two options contradict each other, or one has no effect without another.
 */
export function checkExclusions(options: CheckCommandOptions, command: Command): void {
  const isGiven = (name: OptionName): boolean => command.getOptionValueSource(name) === 'cli';
  const { strategy, sequence } = options;
  if (isGiven('ranks')) checkLsaSize(options);
  for (const [name, others, why] of excluded) {
    const other = isGiven(name) ? others.find(isGiven) : undefined;
    if (other !== undefined)
      throw new UsageError(`${why}, so that ${flag(other)} has no effect; leave one of the two out`);
  }
  for (const [name, other] of needed) {
    if (isGiven(name) && !isGiven(other)) throw new UsageError(`${flag(name)} needs ${flag(other)}`);
  }
  if (isGiven('depth') && strategy !== 'pct') {
    throw new UsageError(`--depth needs --strategy pct, but the strategy is ${strategy}`);
  }
  if (isGiven('schedules') && strategy === 'auto') {
    throw new UsageError(
      '--schedules needs --strategy random, pct, late or hasty; --strategy auto, the default, runs a fixed number of schedules',
    );
  }
  if (isGiven('replay') && (sequence?.length ?? 1) > 1) {
    throw new UsageError('--replay runs one schedule of one sequence; name that one alone with --sequence');
  }
}

/** @throws UsageError if the ranks cannot be divided into such domains. */
export function checkLsaSize({ ranks, lsaSize = ranks }: { readonly ranks: number; readonly lsaSize?: number }): void {
  if (ranks % lsaSize === 0) return;
  throw new UsageError(`--lsa-size ${lsaSize}: it must divide the number of ranks, ${ranks}`);
}

function flag(name: OptionName): string {
  return `--${name.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`;
}

/** Returns the options for the engine. */
export function engineOptions(options: CheckCommandOptions): CheckOptions {
  const { ranks, lsaSize = ranks, residentCtas, fuel, seed, strategy, depth, replay, bound, time } = options;
  const machine = {
    ranks,
    lsaSize,
    residentCtas,
    strict: options.strict === true,
    ...(fuel === undefined ? {} : { fuel }),
    ...(time === undefined ? {} : { time }),
  };
  if (options.exhaustive === true) {
    return { ...machine, strategy: 'exhaustive', ...(bound === undefined ? {} : { bound }) };
  }
  if (replay !== undefined) return { ...machine, strategy: 'replay', replay, seed };
  if (strategy === 'auto') return { ...machine, strategy, seed };
  const { schedules = DEFAULT_SCHEDULES } = options;
  return { ...machine, strategy, schedules, seed, ...(depth === undefined ? {} : { depth }) };
}
