import { findingKey, type CheckReport, type Finding, type ScheduleId } from '@nccl-ts/findings';
import type { SimBackend } from '../sim-backend.ts';
import type { Deadline } from './deadline.ts';
import { ofHasty } from './hasty-findings.ts';
import { mayLeanOnLines, ofLines, onHardware } from './on-hardware.ts';
import { runOnce, type CheckedProgram, type Program } from './run-once.ts';

/** The rules beyond the memory model under which a program runs. */
export interface Rules {
  /** True if orders that GPUs guarantee beyond the memory model count. */
  readonly hardware: boolean;
  /**
   * True if lanes run an instruction together where GPUs do, so that a line of 128 bytes that they
   * store arrives whole.
   */
  readonly lines: boolean;
}

/** A run, and the orders of GPUs on which it depends. */
export interface JudgedProgram extends CheckedProgram {
  /** True if a finding is only a warning, because GPUs store lines of 128 bytes whole. */
  readonly leansOnLines: boolean;
}

/**
 * Runs a program once. If it has races and uses an order that GPUs guarantee beyond the memory
 * model, runs it again with the same schedule. A race that the second run does not show is only a
 * warning, because today's GPUs keep its accesses in order.
 *
 * If a race or a wrong result is left, and warps store whole lines of 128 bytes, runs it once more,
 * with lines that arrive whole. That is another schedule, so a caller should then try further ones
 * with `lines`.
 *
 * @throws errors of the program that are not in a report.
 */
export async function runJudged(
  backend: (rules: Rules) => SimBackend,
  schedule: ScheduleId,
  program: Program,
  deadline?: Deadline,
  lines = false,
): Promise<JudgedProgram> {
  const run = await judgedByOrder(backend, schedule, program, deadline, lines);
  const judged = lines ? { ...run, leansOnLines: false } : await judgedByLines(run, backend, schedule, program, deadline);
  return schedule.strategy === 'hasty' ? { ...judged, runs: judged.runs.map(ofHasty) } : judged;
}

async function judgedByOrder(
  backend: (rules: Rules) => SimBackend,
  schedule: ScheduleId,
  program: Program,
  deadline: Deadline | undefined,
  lines: boolean,
): Promise<CheckedProgram> {
  const run = await runOnce(backend({ hardware: false, lines }), schedule, program, deadline);
  if (run.isCut || !run.leansOnHardware || !has(run, isRace)) return run;
  const again = await runOnce(backend({ hardware: true, lines }), schedule, program, deadline);
  if (again.isCut)
    return {
      ...run,
      runs: run.runs.map((report) => mapped(report, isRace, (race) => unjudged(race, deadline?.bound))),
    };
  if (again.hash !== run.hash) return run;
  const left = keysOf(again);
  return {
    ...run,
    runs: run.runs.map((report) =>
      mapped(report, isRace, (race) => (left.has(findingKey(race)) ? race : onHardware(race))),
    ),
  };
}

async function judgedByLines(
  run: CheckedProgram,
  backend: (rules: Rules) => SimBackend,
  schedule: ScheduleId,
  program: Program,
  deadline: Deadline | undefined,
): Promise<JudgedProgram> {
  const judged = { ...run, leansOnLines: false };
  if (run.isCut || run.lineStore === undefined || !has(run, mayLeanOnLines)) return judged;
  const again = await runOnce(backend({ hardware: true, lines: true }), schedule, program, deadline);
  const { lineStore } = again;
  if (again.isCut || lineStore === undefined) return judged;
  const left = keysOf(again);
  let leansOnLines = false;
  const runs = run.runs.map((report) =>
    mapped(report, mayLeanOnLines, (finding) => {
      if (left.has(findingKey(finding))) return finding;
      leansOnLines = true;
      return ofLines(finding, lineStore);
    }),
  );
  return { ...run, runs, leansOnLines };
}

function isRace({ kind, severity }: Finding): boolean {
  return kind === 'race' && severity === 'error';
}

function has({ runs }: CheckedProgram, is: (finding: Finding) => boolean): boolean {
  return runs.some(({ findings }) => findings.some(is));
}

function keysOf({ runs }: CheckedProgram): ReadonlySet<string> {
  const errors = runs.flatMap(({ findings }) => findings.filter(({ severity }) => severity === 'error'));
  return new Set(errors.map(findingKey));
}

/** Returns the report with `change` applied to each finding that `is` selects. */
function mapped(
  report: CheckReport,
  is: (finding: Finding) => boolean,
  change: (finding: Finding) => Finding,
): CheckReport {
  const findings = report.findings.map((finding) => (is(finding) ? change(finding) : finding));
  return Object.freeze({ ...report, findings });
}

/** A race that was not tested with the order of GPUs, because the check ended first. */
function unjudged(race: Finding, why = 'the check was stopped'): Finding {
  const message = `${race.message} by the memory model; whether GPUs order them was not looked at, since ${why}`;
  return Object.freeze({ ...race, message });
}
