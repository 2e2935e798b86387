import { ReportBuilder, type CheckReport, type Proof } from '@nccl-ts/findings';
import { isWrong, type CheckRequest } from './check-request.ts';
import { executions } from './executions.ts';
import { hastySchedules } from './hasty.ts';
import { portfolio } from './portfolio.ts';
import { seeOnce, type SeenOnce } from './see-once.ts';

/** Programs with more accesses than that are left to schedules. */
const SMALL = 400;

/**
 * The number of accesses in all executions together: fixed, so that equal seeds give equal verdicts
 * on every machine.
 */
const ACCESSES = 40_000;

/** The bound on their work: a few seconds, if a program has many threads. */
const WORK = 500_000_000;

/**
 * The default. One run with counted waits comes first: it may represent all in which no time limit
 * of a wait runs out early; runs in which they do follow. Otherwise, without an error, a portfolio
 * of schedules is run. For small programs all executions that the memory model allows are also
 * explored, up to a fixed bound. The first phase that shows an error is the last one.
 */
export async function checkAuto(request: CheckRequest, schedules: number): Promise<CheckReport> {
  const { news, deadline, options } = request;
  news.begins('one run that may represent all');
  const once = await seeOnce(request);
  if (once.doubt === undefined) {
    news.tell(once.report);
    return once.hasTimeLimits && !isWrong(once.report) ? checkLimits(request, once) : once.report;
  }
  const builder = new ReportBuilder(options.strict === undefined ? {} : { strict: options.strict });
  const cut = (): Proof => ({ kind: 'nothing', bound: deadline.bound });
  if (once.isCut) {
    // Waits were counted, so that what was found need not be what a schedule shows.
    builder.add({ findings: [], accesses: once.report.accesses });
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
    if (explored !== undefined && isWrong(explored)) builder.add(explored);
    return builder.report(deadline.isOver ? cut() : tried.report.proves);
  }
  builder.add(explored);
  return builder.report(proofWith(explored.proves, once, tried.report.proves));
}

/**
 * The report of a program whose one run represents all runs in which no time limit runs out early.
 */
export async function checkLimits(request: CheckRequest, { report }: SeenOnce): Promise<CheckReport> {
  const { report: hasty, isCut } = await hastySchedules(request);
  if (isWrong(hasty)) return hasty;
  const { strict } = request.options;
  const builder = new ReportBuilder(strict === undefined ? {} : { strict });
  builder.add(report);
  return builder.report(isCut ? { kind: 'nothing', bound: request.deadline.bound } : report.proves);
}

/**
 * All executions show races, faults and deadlocks; rules of the network are checked only in
 * schedules.
 */
export function proofWith(all: Proof, { hasNetwork, hasTimeLimits }: SeenOnce, tried: Proof): Proof {
  if (hasNetwork) return tried;
  return all.kind === 'all schedules' && hasTimeLimits ? { ...all, patient: true } : all;
}

function isSmall({ report, worlds }: SeenOnce): boolean {
  return worlds === 1 && report.accesses <= SMALL;
}
