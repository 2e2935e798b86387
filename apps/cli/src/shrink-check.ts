import { choicesText, parseChoices } from '@nccl-ts/backend-sim';
import { shrink, type CheckReport, type Finding, type ShrinkInput, type Shrunk } from '@nccl-ts/findings';
import type { CheckEngine } from './check-engine.ts';
import { DEFAULT_BYTES, DEFAULT_RESIDENT_CTAS, engineOptions, type CheckCommandOptions } from './check-options.ts';
import { planArguments } from './kernel-arguments.ts';
import { chooseKernel, type UserModule } from './load-module.ts';
import { runKernel } from './run-kernel.ts';
import { runCheck } from './run-check.ts';
import type { Run } from './plan-run.ts';

/** Runs that are spent on one finding. */
const MOST_RUNS = 300;

/** A parameter that tells how much there is of something. */
const isCount =
  /^(n|num|count|counts|size|len|length|elements?|elems?|items?|rounds?|iterations?|steps?)$|(Count|Size|Length|Elements|Elems|Items|Rounds|Iterations|Steps)$|^n[A-Z]/;

/** What shrinking a check has come to. */
export interface ShrunkCheck extends Shrunk {
  /** The options that show it, as on the command line. */
  readonly command: readonly string[];
}

/**
 * Looks for the smallest launch that shows the report's worst finding: fewer ranks, CTAs, threads, and less of what the
 * kernel's integer parameters with names such as `count` count, under the seed that shows it; then for the fewest choices of
 * the schedule. `undefined` where nothing was found, or the seed alone does not show it again.
 */
export async function shrinkCheck(
  engine: CheckEngine,
  module: UserModule,
  options: CheckCommandOptions,
  report: CheckReport,
): Promise<ShrunkCheck | undefined> {
  const [worst] = report.findings;
  if (worst === undefined) return undefined;
  let tried = 0;
  const from = async (start: ShrinkInput, shown: Finding, prefix?: string): Promise<Shrunk | undefined> =>
    shrink(
      start,
      shown,
      async (input) => {
        const smaller = optionsFor(options, input, worst, prefix);
        // A fixed number of ranks that reach each other has to divide the number of all.
        if (smaller.ranks % (smaller.lsaSize ?? smaller.ranks) !== 0) return [];
        tried++;
        const what = `shrinking to ${sizesText(input)}, run ${tried}`;
        return (await runCheck(engine, engineOptions(smaller), runOf(module, smaller), what)).findings;
      },
      { runs: MOST_RUNS - tried },
    );
  const { ranks, grid, block } = options;
  const sized = await from({ ranks, grid, block, counts: countsOf(options) }, worst);
  if (sized === undefined) return undefined;
  const found = listOf(sized.finding.schedule.choices);
  const chosen =
    found === undefined
      ? undefined
      : await from({ ...sized.input, choices: found.choices }, sized.finding, found.prefix);
  const best = chosen ?? sized;
  return {
    ...best,
    runs: tried,
    smallest: sized.smallest && best.smallest,
    command: commandOf(optionsFor(options, best.input, worst, chosen === undefined ? undefined : found?.prefix)),
  };
}

/** The choices of a schedule as a list, and what stands before them: by which strategy the schedule came about. */
function listOf(
  text: string | undefined,
): { readonly prefix: string; readonly choices: readonly number[] } | undefined {
  const [, prefix, choices] = /^([a-z]:)(.*)$/.exec(text ?? '') ?? [];
  return prefix === undefined || choices === undefined ? undefined : { prefix, choices: parseChoices(choices) };
}

function runOf(module: UserModule, options: CheckCommandOptions): Run {
  const kernel = chooseKernel(module, options.kernel);
  const plan = planArguments(kernel, options.arg);
  return {
    program: 'kernel',
    name: kernel.name,
    onRank: async (comm) => runKernel(comm, kernel, plan, options),
    failure: (error) => error,
  };
}

/** Integers among the arguments whose names say that they count. */
function countsOf({ arg }: CheckCommandOptions): Readonly<Record<string, number>> {
  const counts = [...arg].filter(([name, text]) => isCount.test(name) && /^\d+$/.test(text) && Number(text) > 1);
  return Object.fromEntries(counts.map(([name, text]) => [name, Number(text)]));
}

/** The options of one run: the sizes of `input`, and the schedule that the finding was seen in. */
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
  if (options.exhaustive === true || options.replay !== undefined) return sized;
  return { ...sized, schedules: 1, seed: schedule.seed };
}

function sizesText({ ranks, grid, block }: ShrinkInput): string {
  return `${ranks} ranks, ${grid} CTAs x ${block} threads`;
}

function commandOf(options: CheckCommandOptions): readonly string[] {
  const { ranks, lsaSize, grid, block, arg, bytes, residentCtas, fuel, strategy, seed, depth, replay } = options;
  const schedule =
    options.exhaustive === true
      ? ['--exhaustive']
      : replay === undefined
        ? ['--strategy', strategy, '--seed', String(seed), '--schedules', '1']
        : ['--replay', replay, '--seed', String(seed)];
  return [
    ...Object.entries({ ranks, grid, block }).flatMap(([name, size]) => [`--${name}`, String(size)]),
    ...(lsaSize === undefined ? [] : ['--lsa-size', String(lsaSize)]),
    ...[...arg].flatMap(([name, value]) => ['--arg', `${name}=${value}`]),
    ...(bytes === DEFAULT_BYTES ? [] : ['--bytes', String(bytes)]),
    ...(residentCtas === DEFAULT_RESIDENT_CTAS ? [] : ['--resident-ctas', String(residentCtas)]),
    ...(fuel === undefined ? [] : ['--fuel', String(fuel)]),
    ...schedule,
    ...(depth === undefined ? [] : ['--depth', String(depth)]),
    ...(options.strict === true ? ['--strict'] : []),
  ];
}
