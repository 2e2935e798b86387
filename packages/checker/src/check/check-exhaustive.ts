import { ReportBuilder, type CheckReport, type Finding, type FindingKind, type Proof } from '@nccl-ts/findings';
import type { ExploreBound } from '../exhaustive/explore-bound.ts';
import { checkLimits, proofWith } from './check-auto.ts';
import { isWrong, type CheckRequest } from './check-request.ts';
import { executions } from './executions.ts';
import { portfolio, SCHEDULES } from './portfolio.ts';
import { seeOnce } from './see-once.ts';

/** The default number of executions. */
const BOUND = 100_000;

/**
 * The default number of accesses, when it searches for further findings in a program with a known
 * error.
 */
const ACCESSES_AFTER_ERROR = 20_000;

/**
 * A program with a known error is explored by default only if it has at most this many accesses.
 */
const MOST_AFTER_ERROR = 1000;

/**
 * Tries one run that may represent all. If it does not, it runs schedules and explores all
 * executions that the memory model allows, up to `bound`. The report combines the findings of all
 * of them.
 */
export async function checkExhaustive(request: CheckRequest, bound: number | undefined): Promise<CheckReport> {
  const { news, options, deadline } = request;
  news.begins('one run that may represent all');
  const once = await seeOnce(request);
  const isSure = once.doubt === undefined;
  if (isSure) {
    news.report(once.report);
    if (bound === 0) return once.report;
    if (once.report.verdict === 'clean') return once.hasTimeLimits ? checkLimits(request, once) : once.report;
  }
  const builder = new ReportBuilder(options.strict === undefined ? {} : { strict: options.strict });
  const cut = (): Proof => ({ kind: 'nothing', bound: deadline.bound });
  if (once.isCut && deadline.isOver) {
    builder.add({ findings: [], accesses: once.report.accesses, scope: once.report.scope });
    return builder.report(cut());
  }
  const tried = isSure ? undefined : await portfolio(request, once, SCHEDULES);
  const known = tried?.report ?? once.report;
  if (tried?.isCut === true) return known;
  builder.add(known);
  if (deadline.isOver) return builder.report(cut());
  if (bound === 0) {
    const why = `one run does not represent all: ${once.doubt}`;
    return isWrong(known) ? known : builder.report({ kind: 'nothing', bound: why });
  }
  // Exploring a large program takes long, and the verdict is already known.
  if (isWrong(known) && bound === undefined && once.report.accesses > MOST_AFTER_ERROR) return known;
  news.begins('executions that the memory model allows');
  const explored = await executions(request, boundOf(bound, known));
  if (explored === undefined) {
    return isWrong(known)
      ? known
      : builder.report({
          kind: 'nothing',
          bound: 'the program uses something that the exploration of executions does not support',
        });
  }
  builder.add(explored);
  const findings = disagreements(known, explored);
  if (findings.length > 0) builder.add({ findings, accesses: 0 });
  if (deadline.isOver) return builder.report(cut());
  if (explored.proves.kind === 'nothing') return builder.report(isWrong(known) ? known.proves : explored.proves);
  return builder.report(isSure ? explored.proves : proofWith(explored.proves, once, known.proves));
}

function boundOf(requested: number | undefined, known: CheckReport): ExploreBound {
  if (requested !== undefined) return { runs: requested };
  return isWrong(known) ? { runs: BOUND, accesses: ACCESSES_AFTER_ERROR } : { runs: BOUND };
}

/** The kinds that both engines report. */
const common: readonly FindingKind[] = ['race', 'out-of-bounds', 'fault', 'deadlock'];

/**
 * Findings of a run that no execution shows, although all were explored. Then one of the two
 * engines is wrong.
 */
function disagreements(known: CheckReport, explored: CheckReport): readonly Finding[] {
  // In runs without time-outs, waits may pass that time out in other runs.
  if (explored.proves.kind !== 'all schedules' || (known.proves.kind === 'all schedules' && known.proves.patient))
    return [];
  const kinds = new Set(explored.findings.map(({ kind }) => kind));
  const lone = known.findings.find(
    // In no execution does a time limit expire early.
    ({ kind, severity, schedule }) =>
      severity === 'error' && common.includes(kind) && !kinds.has(kind) && schedule.strategy !== 'hasty',
  );
  if (lone === undefined) return [];
  const { strategy, seed } = lone.schedule;
  return [
    Object.freeze({
      kind: 'incomplete',
      severity: 'error',
      message:
        `NCCL_INTERNAL_ERROR: the engines of the checker disagree: strategy ${strategy} with seed ${seed} shows a ${lone.kind}, but ` +
        'no explored execution shows it. One of the two is wrong: please report the program with this seed',
      labels: [],
      missing: [],
      certainty: 'this schedule',
      schedule: lone.schedule,
    } satisfies Finding),
  ];
}
