import { expectInteger, NcclError } from '@nccl-ts/core';
import { buildReport, ReportBuilder, type CheckReport, type Finding, type ScheduleId } from '@nccl-ts/findings';
import { explore } from '../explore.ts';
import { sim, type SimBackend } from '../sim-backend.ts';
import type { SimOptions, Strategy } from '../sim-options.ts';
import { runOnce, type CheckedProgram } from './run-once.ts';
import { seeOnce } from './see-once.ts';

/** What to check, and how. */
export interface CheckOptions extends Omit<SimOptions, 'mode' | 'strategy'> {
  /**
   * As for `sim`; `exhaustive` goes through all schedules and all values that the memory model allows. Where one run is seen to stand for
   * all of them, that is one run, whatever the size of the program.
   */
  readonly strategy?: Strategy | 'exhaustive' | 'auto';
  /**
   * How many schedules: the seeds from `seed` on.
   * @default 1
   */
  readonly schedules?: number;
  /**
   * For `exhaustive`: the most executions to go through where one run does not stand for all; 0: only to see whether it does.
   * @default 100000
   */
  readonly bound?: number;
  /** Seconds after which the check stops, with the verdict `incomplete`. */
  readonly time?: number;
  /** Called for each finding as soon as there is one, before the report. */
  readonly onFinding?: (finding: Finding) => void;
  /** Called when a part of the check begins, with a few words that name it: `schedule 3 of 15, strategy pct`. */
  readonly onPhase?: (phase: string) => void;
}

const AUTO_SCHEDULES = 10;

/**
 * Runs `program` once for each schedule, with a backend that checks, and makes one report of all. `program` opens a world on
 * the backend, does the same each time and closes it. A deadlock or fault that it throws is a finding.
 *
 * @throws NcclError `NCCL_INVALID_ARGUMENT` for options that cannot be; what `program` throws otherwise, at once.
 */
export async function check(
  options: CheckOptions,
  program: (backend: SimBackend) => Promise<void>,
): Promise<CheckReport> {
  const { strategy = 'random', schedules = 1, bound = 100_000, time: _, onFinding, onPhase, ...simOptions } = options;
  if (strategy === 'auto') {
    onPhase?.(`${AUTO_SCHEDULES} schedules`);
    const asked = { schedules: AUTO_SCHEDULES, ...options, strategy: 'random' } as const;
    const report = await check(asked, program);
    for (const finding of report.findings) onFinding?.(finding);
    const parts = [{ what: 'random', count: asked.schedules }];
    return { ...report, proves: { kind: 'portfolio', parts, seed: options.seed ?? 1 } };
  }
  if (strategy === 'exhaustive') {
    const most = expectInteger('bound', bound, 0);
    const once = await seeOnce(simOptions, program);
    // Of races, all executions tell more than one: which there are, and that there are no others.
    if (once.kind === 'all' && (most === 0 || once.report.verdict === 'clean')) return once.report;
    if (once.kind === 'one' && most === 0) {
      if (once.report !== undefined) return once.report;
      const bound = `one run does not stand for all: ${once.doubt}`;
      return buildReport({ runs: [], proves: { kind: 'nothing', bound } });
    }
    const { report } = await explore({ ...simOptions, mode: 'check' }, program, { runs: most });
    if (report?.verdict === 'incomplete' && once.kind === 'one' && once.report !== undefined) return once.report;
    if (report !== undefined) return report;
    throw new NcclError('NCCL_INTERNAL_ERROR', 'An exploration with a check had no report.');
  }
  const count = expectInteger('schedules', schedules, 1);
  const seed = options.seed ?? 1;
  const builder = new ReportBuilder(options.strict === undefined ? {} : { strict: options.strict });
  for (let i = 0; i < count; i++) {
    const schedule = Object.freeze({ strategy, seed: seed + i });
    const run = (): Promise<CheckedProgram> =>
      runOnce(sim({ ...simOptions, ...schedule, mode: 'check' }), schedule, program);
    const { runs, hash } = await run();
    for (const one of runs) builder.add(one);
    // What the seed does not decide, nobody can replay: the first schedule is run again and must do the same.
    if (i === 0 && count > 1 && (await run()).hash !== hash)
      builder.add({ findings: [uncontrolled(schedule)], accesses: 0 });
  }
  return builder.report(
    count === 1 ? { kind: 'this schedule', strategy, seed } : { kind: 'schedules', count, strategy, seed },
  );
}

function uncontrolled(schedule: ScheduleId): Finding {
  return Object.freeze({
    kind: 'incomplete',
    severity: 'error',
    message: 'two runs of one schedule differ: the program goes by something that the seed does not decide',
    labels: [],
    missing: [],
    certainty: 'this schedule',
    schedule,
  } satisfies Finding);
}
