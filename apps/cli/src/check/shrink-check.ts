import type { Command } from 'commander';
import { choicesText, parseChoices } from '@nccl-ts/backend-sim';
import { shrink, type CheckReport, type Finding, type ShrinkInput, type Shrunk } from '@nccl-ts/findings';
import type { CheckEngine } from './check-engine.ts';
import { commandWords, engineOptions, strategyNames, type CheckCommandOptions } from './check-options.ts';
import { countArguments } from '../launch/count-arguments.ts';
import { sequenceNames, sequenceText } from '../launch/launch-sequence.ts';
import { chooseKernel } from '../module/load-module.ts';
import type { UserModule } from '../module/user-module.ts';
import { planKernel, type CheckPlan } from './plan-check.ts';
import { runCheck } from './run-check.ts';
import { UsageError } from '../usage-error.ts';

/** The number of runs that may be spent on one finding. */
const MOST_RUNS = 300;

/** The result of shrinking a check. */
export interface ShrunkCheck extends Shrunk {
  /** The options that show the finding, as on the command line. */
  readonly command: readonly string[];
}

/**
 * Searches for the smallest launch that shows the report's worst finding, under the seed that shows
 * it. It reduces ranks, CTAs, threads, and integer parameters whose names suggest counts, such as
 * `count`. Then it searches for the fewest choices of the schedule. Returns `undefined` if there
 * are no findings, or if the seed alone does not show the finding again.
 */
export async function shrinkCheck(
  engine: CheckEngine,
  module: UserModule,
  options: CheckCommandOptions,
  command: Command,
  report: CheckReport,
): Promise<ShrunkCheck | undefined> {
  const [worst] = report.findings;
  if (worst === undefined) return undefined;
  let tried = 0;
  for (const candidate of candidatesFor(options, worst)) {
    const shrunk = await shrinkWith(engine, module, candidate, command, worst, tried);
    if (shrunk.best !== undefined) return shrunk.best;
    tried = shrunk.tried;
  }
  return undefined;
}

/** Shrinks the launch, and then the list of choices, with one way to find the finding again. */
async function shrinkWith(
  engine: CheckEngine,
  module: UserModule,
  options: CheckCommandOptions,
  command: Command,
  worst: Finding,
  before: number,
): Promise<{ readonly best: ShrunkCheck | undefined; readonly tried: number }> {
  let tried = before;
  const from = async (start: ShrinkInput, shown: Finding, prefix?: string): Promise<Shrunk | undefined> =>
    shrink(
      start,
      shown,
      async (input) => {
        const smaller = optionsFor(options, input, worst, prefix);
        // If the size of load-store domains is fixed, it must divide the number of ranks.
        if (smaller.ranks % (smaller.lsaSize ?? smaller.ranks) !== 0) return [];
        tried++;
        const what = `shrinking to ${sizesText(input)}, run ${tried}`;
        return findingsOf(engine, module, smaller, what);
      },
      { runs: MOST_RUNS - tried },
    );
  const { ranks, grid, block } = options;
  const sized = await from({ ranks, grid, block, counts: countArguments(options.arg) }, worst);
  if (sized === undefined) return { best: undefined, tried };
  const found = listOf(sized.finding.schedule.choices);
  const chosen =
    found === undefined
      ? undefined
      : await from({ ...sized.input, choices: found.choices }, sized.finding, found.prefix);
  const best = chosen ?? sized;
  const words = commandWords(
    command,
    optionsFor(options, best.input, worst, chosen === undefined ? undefined : found?.prefix),
  );
  return { best: { ...best, runs: tried, smallest: sized.smallest && best.smallest, command: words }, tried };
}

/**
 * Returns the choices of a schedule as a list, and their prefix, which is the strategy that made
 * the schedule.
 */
function listOf(
  text: string | undefined,
): { readonly prefix: string; readonly choices: readonly number[] } | undefined {
  const [, prefix, choices] = /^([a-z]:)(.*)$/.exec(text ?? '') ?? [];
  return prefix === undefined || choices === undefined ? undefined : { prefix, choices: parseChoices(choices) };
}

/**
 * Returns the ways to find the finding again: in its sequence, with the schedule that it names, and
 * if that fails, with the strategy that found it.
 */
function candidatesFor(options: CheckCommandOptions, { schedule, sequence }: Finding): readonly CheckCommandOptions[] {
  const name = sequenceNames.find((one) => sequence?.startsWith(`${one}: `));
  const { time: _, baseline: __, ...plain } = options;
  const same: CheckCommandOptions = { ...plain, ...(name === undefined ? {} : { sequence: [name] }) };
  const strategy = strategyNames.find((one) => one === schedule.strategy);
  if (same.exhaustive === true || same.replay !== undefined || strategy === undefined) return [same];
  const one: CheckCommandOptions = { ...same, strategy, schedules: 1, seed: schedule.seed };
  return same.strategy === 'auto' ? [one, same] : [one];
}

async function findingsOf(
  engine: CheckEngine,
  module: UserModule,
  options: CheckCommandOptions,
  doing: string,
): Promise<readonly Finding[]> {
  const plan = planOf(module, options);
  const [variant] = plan?.variants ?? [];
  if (plan === undefined || variant === undefined) return [];
  const { onRank, sequence } = variant;
  const { findings } = await runCheck(engine, engineOptions(options), { doing, onRank, failure: plan.failure });
  if (sequence === undefined) return findings;
  return findings.map((finding) => ({ ...finding, sequence: sequenceText(sequence) }));
}

/** Returns `undefined` if the sequence no longer exists, because counts of 1 have no half. */
function planOf(module: UserModule, options: CheckCommandOptions): CheckPlan | undefined {
  try {
    return planKernel(chooseKernel(module, options.kernel), options);
  } catch (error) {
    if (error instanceof UsageError) return undefined;
    throw error;
  }
}

/**
 * Returns the options of one run: the sizes of `input`, and the schedule in which the finding was
 * seen.
 */
function optionsFor(
  options: CheckCommandOptions,
  input: ShrinkInput,
  { schedule }: Finding,
  prefix: string | undefined,
): CheckCommandOptions {
  const { ranks, grid, block, counts, choices } = input;
  const arg = new Map([
    ...options.arg,
    ...Object.entries(counts).map(([name, count]) => [name, String(count)] as const),
  ]);
  const sized = { ...options, ranks, grid, block, arg };
  if (choices !== undefined) {
    const { exhaustive: _, depth: __, ...one } = sized;
    return { ...one, replay: `${prefix ?? ''}${choicesText(choices)}`, seed: schedule.seed };
  }
  return sized;
}

function sizesText({ ranks, grid, block }: ShrinkInput): string {
  return `${ranks} ranks, ${grid} CTAs x ${block} threads`;
}
