import { isNcclError } from '@nccl-ts/core';
import { findingFingerprint, worstOfRanks, type Finding, type RanksCheck } from '@nccl-ts/findings';
import type { BaselineEntry } from './baseline-entry.ts';
import type { CheckEngine } from './check-engine.ts';
import { DEFAULT_SECONDS, type CheckCommandOptions } from './check-options.ts';
import { checkProgram, type ProgramResult } from './check-program.ts';
import { rankCountsOf, withShapeOf, type CheckPlan } from './plan-check.ts';
import { ModuleError } from '../module/module-error.ts';
import { UsageError } from '../usage-error.ts';

/** The result of a check with each number of ranks. */
export interface RanksResult extends ProgramResult {
  /** The options of the number whose sequences are shown, which has the worst verdict. */
  readonly options: CheckCommandOptions;
  /** The numbers of ranks that were to be checked. */
  readonly rankCounts: readonly number[];
}

type Tried =
  | { readonly ranks: number; readonly options: CheckCommandOptions; readonly result: ProgramResult }
  | { readonly ranks: number; readonly error: unknown };

/**
 * Checks a program with each number of ranks. If it cannot run with one of several numbers, the
 * result says so. `planFor` makes the program for the options with one number of ranks.
 *
 * @throws errors of the program that are not findings, if it runs with none of the numbers.
 */
export async function checkRankCounts(
  engine: CheckEngine,
  plan: CheckPlan,
  planFor: (options: CheckCommandOptions) => CheckPlan,
  given: CheckCommandOptions,
  baseline: readonly BaselineEntry[] | 'everything',
): Promise<RanksResult> {
  // All numbers of ranks share the time.
  const end = performance.now() + 1000 * (given.time ?? DEFAULT_SECONDS);
  const rankCounts = rankCountsOf(plan, given);
  const tried: Tried[] = [];
  for (const ranks of rankCounts) {
    const time = Math.max(LEAST_SECONDS, (end - performance.now()) / 1000);
    const attempt = async (): Promise<Tried> => {
      const options = withShapeOf(plan, { ...given, ranks });
      const result = await checkProgram(engine, planFor(options), { ...options, time }, baseline);
      return { ranks, options, result };
    };
    tried.push(await attempt().catch((error: unknown) => ({ ranks, error })));
  }
  const checked = tried.flatMap((one) => ('result' in one ? one : []));
  const [first] = tried;
  if (checked.length === 0) throw first !== undefined && 'error' in first ? first.error : new RangeError('no ranks');
  const checks = tried.map((one): RanksCheck =>
    'result' in one ? { ranks: one.ranks, report: one.result.report } : { ranks: one.ranks, why: whyNot(one.error) },
  );
  const report = worstOfRanks(checks);
  const shown = checked.find(({ result }) => result.report.verdict === report.verdict) ?? checked[0];
  if (shown === undefined) throw new RangeError('no number of ranks was checked');
  return {
    report,
    sequences: shown.result.sequences,
    accepted: joined(
      checked.map(({ result }) => result.accepted),
      (finding) => finding,
    ),
    silenced: joined(
      checked.map(({ result }) => result.silenced),
      ({ finding }) => finding,
    ),
    options: shown.options,
    rankCounts,
  };
}

/** With no time left, a check ends at once, and says so. */
const LEAST_SECONDS = 0.001;

/** Joins lists of findings. A finding that several lists have counts once. */
function joined<T>(lists: readonly (readonly T[])[], findingOf: (one: T) => Finding): readonly T[] {
  const all: T[] = [];
  for (const list of lists) {
    const known = all.map((one) => findingFingerprint(findingOf(one)));
    for (const one of list) {
      const at = known.indexOf(findingFingerprint(findingOf(one)));
      if (at < 0) all.push(one);
      else known.splice(at, 1);
    }
  }
  return all;
}

/** The first line of an error. */
function whyNot(error: unknown): string {
  const cause = error instanceof ModuleError ? error.cause : error;
  const text = cause instanceof Error ? cause.message : String(cause);
  const [line = ''] = text.split('\n', 1);
  return isNcclError(cause) || cause instanceof UsageError || !(cause instanceof Error)
    ? line
    : `${cause.name}: ${line}`;
}
