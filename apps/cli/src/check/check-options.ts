import { InvalidArgumentError, Option, type Command } from 'commander';
import type { CheckOptions } from '@nccl-ts/checker';
import { acceptRule, type AcceptRule } from './accept-rule.ts';
import type { KernelValues } from '../launch/kernel-values.ts';
import { sequenceList, type SequenceName } from '../launch/launch-sequence.ts';
import { collect, integer, optionWords, seconds } from '../options.ts';
import { addShared } from '../shared-options.ts';
import { UsageError } from '../usage-error.ts';

/** The default size of a window. */
const DEFAULT_BYTES = 2 ** 16;

/** The ranks of a program in TypeScript. */
export const DEFAULT_RANKS = 4;

export const DEFAULT_RESIDENT_CTAS = 132;

/** The default for a named strategy. `auto` has its own number. */
const DEFAULT_SCHEDULES = 10;

/** The default time limit of each program, with all its sequences. */
export const DEFAULT_SECONDS = 120;

export const strategyNames = ['auto', 'random', 'pct', 'late', 'hasty'] as const;

/** The options of `nccl-ts check`. */
export interface CheckCommandOptions extends KernelValues {
  readonly kernel?: string;
  readonly ranks: number;
  /** The numbers of ranks on the command line, each of which is checked. */
  readonly rankCounts?: readonly number[];
  /** True if each rank is meant to work alone. */
  readonly local?: true;
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
  /** In seconds. @default DEFAULT_SECONDS */
  readonly time?: number;
  readonly replay?: string;
  readonly exhaustive?: true;
  readonly bound?: number;
  readonly strict?: true;
  /** Compiles the kernels, and runs nothing. */
  readonly compileOnly?: true;
  readonly shrink?: true;
  /** Looks for a repair of what the check finds wrong. */
  readonly fix?: true;
  readonly baseline?: string;
  readonly updateBaseline?: true;
  readonly accept?: readonly AcceptRule[];
  /** The module that describes the launches of a `.cu` or `.ptx` file. */
  readonly harness?: string;
  /** The file for a first harness. */
  readonly write?: string;
  readonly force?: true;
  readonly save?: string;
  readonly jsonText?: true;
  /** The arguments after `--`. */
  readonly compilerFlags?: readonly string[];
  readonly watch?: true;
  readonly json?: true;
  readonly sarif?: string;
}

/** The options as the command line gives them. */
export type GivenCheckOptions = Omit<CheckCommandOptions, 'ranks' | 'rankCounts'> & {
  readonly ranks: readonly number[];
};

/** Adds the options to the command. */
export function addCheckOptions(command: Command): Command {
  addShared(command, {
    kernel: {},
    ranks: { default: [DEFAULT_RANKS], shown: '4; 2,3,4 for a harness that fixes none', isList: true },
    lsaSize: {},
    grid: { default: 2 },
    block: { default: 32 },
    arg: {},
    fill: {},
    type: {},
    require: {},
    bytes: { default: DEFAULT_BYTES, shown: '64K' },
  });
  command
    .option(
      '--sequence <names>',
      'launch sequences to check: once, repeat, sizes, streams; a list, or repeatable (default: see below)',
      sequenceList,
    )
    .addOption(
      new Option(
        '--wrap <bits>',
        'start barrier epochs and --wrap-window at 2^<bits> - 2, so that they soon wrap; <bits> is 16, 31 or 32',
      ).argParser(wrapBits),
    )
    .option('--wrap-window <name>', 'a window parameter whose words are counters (with --wrap); repeatable', collect)
    .addOption(new Option('--strategy <name>', 'how schedules are chosen').choices(strategyNames).default('auto'))
    .option(
      '--schedules <n>',
      `number of schedules for --strategy, with seeds from --seed upwards (default: ${DEFAULT_SCHEDULES})`,
      integer(1),
    )
    .option('--depth <n>', 'bug depth: how many ordering constraints pct looks for', integer(1, 64))
    .option('--exhaustive', 'explore every schedule and value that the memory model allows: for small inputs')
    .option('--bound <n>', 'stop after <n> executions (with --exhaustive)', integer(0))
    .option(
      '--time <seconds>',
      `time limit for each program; a check that reaches it is incomplete (default: ${DEFAULT_SECONDS})`,
      seconds,
    )
    .option('--replay <choices>', 'run only the schedule that a finding names')
    .option('--strict', 'also report errors that only the memory model forbids')
    .option('--compile-only', 'compile every kernel that the files export, report the errors, and run nothing');
  addShared(command, { local: {} });
  command
    .option('--shrink', 'look for the smallest launch that shows the worst finding (one kernel)')
    .option('--fix', 'if the check finds an error, print the first repair that nccl-ts repair finds')
    .option('--baseline <file>', 'file of accepted findings, which are shown but do not fail the check')
    .option('--update-baseline', 'write the current findings to --baseline')
    .option(
      '--accept <file:line:code>',
      'accept findings of this kind at this line: all-reduce.cuh:120:race; repeatable',
      acceptRule,
    )
    .option('--watch', 'check again when a file, or what it imports, changes')
    .option('--write <file>', 'for a .cu or .ptx file: write a first harness of a kernel, and check nothing')
    .option('--force', 'with --write: overwrite an existing file')
    .option('--json-text', 'with --json: add the report for people to it, in the field text')
    .option('--save <file>', 'also write the launch as a program in JSON, which others can check again')
    .option('--sarif <file>', 'also write a SARIF report for editors and code hosts');
  return addShared(command, {
    json: {},
    seed: { default: 1, note: '(the first of several)' },
    residentCtas: { default: DEFAULT_RESIDENT_CTAS },
    fuel: { note: '(default: 2^26)' },
    harness: {},
  });
}

function wrapBits(text: string): 16 | 31 | 32 {
  const bits = ([16, 31, 32] as const).find((one) => String(one) === text);
  if (bits === undefined) throw new InvalidArgumentError('It must be 16, 31 or 32.');
  return bits;
}

type OptionName = keyof CheckCommandOptions;

/** Options that have no effect together with others, each with those options and the reason. */
const excluded: readonly (readonly [OptionName, readonly OptionName[], string])[] = [
  ['exhaustive', ['strategy', 'schedules', 'seed', 'depth', 'replay'], '--exhaustive explores every schedule'],
  ['replay', ['strategy', 'schedules', 'depth'], '--replay runs one schedule'],
  [
    'compileOnly',
    [
      'sequence',
      'wrap',
      'strategy',
      'schedules',
      'replay',
      'exhaustive',
      'strict',
      'shrink',
      'fix',
      'baseline',
      'accept',
      'write',
      'watch',
      'sarif',
    ],
    '--compile-only runs nothing',
  ],
  ['watch', ['json', 'updateBaseline'], '--watch prints text reports until you stop it'],
];

/** Options that only have an effect together with another one. */
const needed: readonly (readonly [OptionName, OptionName])[] = [
  ['bound', 'exhaustive'],
  ['updateBaseline', 'baseline'],
  ['wrapWindow', 'wrap'],
  ['jsonText', 'json'],
];

/** Options that do not change the launch or the schedule of a run, or that it names elsewhere. */
const notOfRuns: readonly OptionName[] = [
  'kernel',
  'time',
  'shrink',
  'fix',
  'baseline',
  'updateBaseline',
  'accept',
  'watch',
  'json',
  'jsonText',
  'save',
  'sarif',
];

/** Options that a command names even if they have their defaults. */
const alwaysNamed: readonly OptionName[] = ['ranks', 'grid', 'block', 'seed'];

/**
 * Returns the words of a command line that repeats one run with these values of `command`'s
 * options.
 */
export function commandWords(command: Command, values: CheckCommandOptions): readonly string[] {
  const given = new Map<string, unknown>(Object.entries(values));
  const without = excluded.flatMap(([name, others]) => (given.has(name) ? others : []));
  const left = new Set<string>([...notOfRuns, ...without]);
  const always = new Set<string>(alwaysNamed);
  return command.options.flatMap((option) => {
    const name = option.attributeName();
    const value = given.get(name);
    const isUsual = value === option.defaultValue && !always.has(name);
    return left.has(name) || isUsual ? [] : optionWords(option, value);
  });
}

/**
 * @throws UsageError if two options contradict each other, or one has no effect without another.
 */
export function checkExclusions(options: GivenCheckOptions, command: Command): void {
  const isGiven = (name: OptionName): boolean => command.getOptionValueSource(name) === 'cli';
  const { strategy, sequence, ranks, lsaSize } = options;
  if (isGiven('ranks'))
    for (const count of ranks) checkLsaSize({ ranks: count, ...(lsaSize === undefined ? {} : { lsaSize }) });
  for (const [name, excludes, why] of excluded) {
    const other = isGiven(name) ? excludes.find(isGiven) : undefined;
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
  if (isGiven('replay') && ranks.length > 1) {
    throw new UsageError('--replay runs one schedule with one number of ranks; name that one alone with --ranks');
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
    ...(options.local === true ? { local: true } : {}),
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
