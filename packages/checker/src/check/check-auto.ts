import { ReportBuilder, type CheckReport, type Proof } from '@nccl-ts/findings';
import { isWrong, type CheckRequest } from './check-request.ts';
import { executions } from './executions.ts';
import { hastySchedules } from './hasty.ts';
import { portfolio } from './portfolio.ts';
import { seeOnce, type SeenOnce } from './see-once.ts';

/** Programs with more accesses than this are checked by schedules only. */
const SMALL = 400;

/**
 * The largest number of accesses in all executions together. It is fixed, so that equal seeds give
 * equal verdicts on every machine.
 */
const ACCESSES = 40_000;

/** The limit of their work: a few seconds. */
const WORK = 60_000_000;

/**
 * Runs the default check. It starts with one run with counted waits, which may represent all runs
 * in which no time limit of a wait expires early; runs in which they expire follow. If the run does
 * not represent them and shows no error, a portfolio of schedules follows. For small programs it
 * also explores all executions that the memory model allows, up to a fixed bound. It stops after
 * the first phase that shows an error.
 */
export async function checkAuto(request: CheckRequest, schedules: number): Promise<CheckReport> {
  const { news, deadline, options } = request;
  news.begins('one run that may represent all');
  const once = await seeOnce(request);
  if (once.doubt === undefined) {
    news.report(once.report);
    return once.hasTimeLimits && !isWrong(once.report) ? checkLimits(request, once) : once.report;
  }
  const builder = new ReportBuilder(options.strict === undefined ? {} : { strict: options.strict });
  const cut = (): Proof => ({ kind: 'nothing', bound: deadline.bound });
  if (once.isCut && deadline.isOver) {
    // Waits were counted, so a schedule need not show what was found.
    builder.add({ findings: [], accesses: once.report.accesses, scope: once.report.scope });
    return builder.report(cut());
  }
  const tried = await portfolio(request, once, schedules);
  if (isWrong(tried.report) || tried.isCut) return tried.report;
  builder.add(tried.report);
  if (isSmall(once)) news.begins('executions that the memory model allows');
  const explored = isSmall(once)
    ? await executions(request, { runs: ACCESSES, accesses: ACCESSES, work: WORK })
    : undefined;
  if (explored === undefined || explored.proves.kind === 'nothing') {
    if (explored !== undefined && explored.findings.length > 0) builder.add(explored);
    return builder.report(deadline.isOver ? cut() : tried.report.proves);
  }
  builder.add(explored);
  return builder.report(proofWith(explored.proves, once, tried.report.proves));
}

/**
 * The report of a program whose one run represents all runs in which no time limit expires early.
 */
export async function checkLimits(request: CheckRequest, { report }: SeenOnce): Promise<CheckReport> {
  const { report: hasty, isCut } = await hastySchedules(request);
  if (isWrong(hasty)) return hasty;
  const { strict } = request.options;
  const builder = new ReportBuilder(strict === undefined ? {} : { strict });
  builder.add(report);
  builder.add({ findings: [], accesses: 0, approximations: hasty.approximations });
  return builder.report(isCut ? { kind: 'nothing', bound: request.deadline.bound } : report.proves);
}

/**
 * All executions together show races, faults and deadlocks. Only schedules check the rules of the
 * network.
 */
export function proofWith(all: Proof, { hasNetwork, hasTimeLimits }: SeenOnce, tried: Proof): Proof {
  if (hasNetwork) return tried;
  return (all.kind === 'all schedules' || all.kind === 'modelled schedules') && hasTimeLimits
    ? { ...all, patient: true }
    : all;
}

function isSmall({ report, worlds }: SeenOnce): boolean {
  return worlds === 1 && report.accesses <= SMALL;
}
