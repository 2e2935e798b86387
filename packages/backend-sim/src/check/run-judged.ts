import { findingKey, type CheckReport, type Finding, type ScheduleId } from '@nccl-ts/findings';
import type { SimBackend } from '../sim-backend.ts';
import type { Deadline } from './deadline.ts';
import { ofHasty } from './hasty-findings.ts';
import { onHardware } from './on-hardware.ts';
import { runOnce, type CheckedProgram, type Program } from './run-once.ts';

/**
 * Runs a program once. If it has races and uses an order that GPUs guarantee beyond the memory
 * model, runs it again with the same schedule. A race that the second run does not show is only a
 * warning, because today's GPUs keep its accesses in order.
 *
 * @throws errors of the program that are not in a report.
 */
export async function runJudged(
  backend: (hardware: boolean) => SimBackend,
  schedule: ScheduleId,
  program: Program,
  deadline?: Deadline,
): Promise<CheckedProgram> {
  const run = await judgedRun(backend, schedule, program, deadline);
  return schedule.strategy === 'hasty' ? { ...run, runs: run.runs.map(ofHasty) } : run;
}

async function judgedRun(
  backend: (hardware: boolean) => SimBackend,
  schedule: ScheduleId,
  program: Program,
  deadline: Deadline | undefined,
): Promise<CheckedProgram> {
  const run = await runOnce(backend(false), schedule, program, deadline);
  if (run.isCut || !run.leansOnHardware || !run.runs.some(({ findings }) => findings.some(isRace))) return run;
  const again = await runOnce(backend(true), schedule, program, deadline);
  if (again.isCut)
    return { ...run, runs: run.runs.map((report) => mapped(report, (race) => unjudged(race, deadline?.bound))) };
  if (again.hash !== run.hash) return run;
  const left = new Set(again.runs.flatMap(({ findings }) => findings.filter(isRace).map(findingKey)));
  return { ...run, runs: run.runs.map((report) => judged(report, left)) };
}

function isRace({ kind, severity }: Finding): boolean {
  return kind === 'race' && severity === 'error';
}

function judged(report: CheckReport, left: ReadonlySet<string>): CheckReport {
  return mapped(report, (race) => (left.has(findingKey(race)) ? race : onHardware(race)));
}

/** Returns the report with `change` applied to each of its races. */
function mapped(report: CheckReport, change: (race: Finding) => Finding): CheckReport {
  const findings = report.findings.map((finding) => (isRace(finding) ? change(finding) : finding));
  return Object.freeze({ ...report, findings });
}

/** A race that was not tested with the order of GPUs, because the check ended first. */
function unjudged(race: Finding, why = 'the check was stopped'): Finding {
  const message = `${race.message} by the memory model; whether GPUs order them was not looked at, since ${why}`;
  return Object.freeze({ ...race, message });
}
