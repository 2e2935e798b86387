import { Approximations, findingKey, type CheckReport, type Finding, type ScheduleId } from '@nccl-ts/findings';
import {
  type EarlierRun,
  type GatheringPoints,
  mayLeanOnLines,
  ofLines,
  onHardware,
} from '@nccl-ts/backend-sim/internal';
import type { SimBackend } from '@nccl-ts/backend-sim';
import type { RunDeadline } from './first-part.ts';
import { ofHasty } from './hasty-findings.ts';
import { runOnce, type CheckedProgram, type WorldProgram } from './run-once.ts';

/** The rules beyond the memory model under which a program runs. */
export interface Rules {
  /** True if orders that GPUs guarantee beyond the memory model count. */
  readonly hardware: boolean;
  /**
   * The points at which lanes of a warp wait for each other, so that lines of 128 bytes that they
   * store stay whole. Absent if there are none.
   */
  readonly lines: GatheringPoints | undefined;
  /** The facts of the first run. Absent there. */
  readonly earlier: EarlierRun | undefined;
  /** @see SimParts.storyEvents */
  readonly storyEvents: number;
}

/** A run, and the orders of GPUs on which it depends. */
export interface JudgedProgram extends CheckedProgram {
  /**
   * The points at which lanes must wait for each other in further runs, because a finding is only a
   * warning if lines stay whole. Absent if there is no such finding.
   */
  readonly lines: ReadonlySet<string> | undefined;
}

/** The parts of a run that all its repetitions share. */
interface Repeated {
  readonly backend: (rules: Rules) => SimBackend;
  readonly schedule: ScheduleId;
  readonly program: WorldProgram;
  readonly deadline: RunDeadline | undefined;
  readonly lines: ReadonlySet<string> | undefined;
  readonly storyEvents: number;
  /** As in `Rules`. */
  readonly earlier?: EarlierRun | undefined;
}

/** Most programs have fewer accesses to words, and those that have more are often right. */
const STORY_EVENTS = 4096;

/** A run whose findings may depend on orders of GPUs. */
export interface UnjudgedProgram {
  readonly run: CheckedProgram;
  /** Runs the program again, as often as its findings need. */
  readonly judge: () => Promise<JudgedProgram>;
}

/**
 * Runs a program once. If it has races and uses an order that GPUs guarantee beyond the memory
 * model, runs it again with the same schedule. A race that the second run does not show is only a
 * warning, because today's GPUs keep its accesses in order.
 *
 * If stores of equal values race, a second run with the histories of their words decides first if
 * that is harmless.
 *
 * If a race or a wrong result is left, and another block has read a line of 128 bytes that a warp
 * may have stored whole, the program runs with lines that stay whole. First, lanes wait for each
 * other before all accesses, which shows the instructions that store and read such lines. Then they
 * wait only there, so that everything else may still happen in parts. Such a run has another
 * schedule, so a caller then tries further schedules with the same `lines`.
 *
 * If an error is left in a run that has forgotten what happened to its words, one of these runs, or
 * one more, remembers it. Its findings are judged alike.
 *
 * @throws errors of the program that are not in a report.
 */
export async function runJudged(
  backend: (rules: Rules) => SimBackend,
  schedule: ScheduleId,
  program: WorldProgram,
  deadline?: RunDeadline,
  lines?: ReadonlySet<string>,
): Promise<JudgedProgram> {
  const { judge } = await runUnjudged(backend, schedule, program, deadline, lines);
  return judge();
}

/**
 * Runs a program once, as `runJudged` does first.
 *
 * @throws errors of the program that are not in a report.
 */
export async function runUnjudged(
  backend: (rules: Rules) => SimBackend,
  schedule: ScheduleId,
  program: WorldProgram,
  deadline?: RunDeadline,
  lines?: ReadonlySet<string>,
): Promise<UnjudgedProgram> {
  const first = { backend, schedule, program, deadline, lines, storyEvents: STORY_EVENTS };
  const run = await runWith(first, { hardware: false, lines });
  return {
    run,
    judge: async () => {
      const judged = await judgedRun(run, first);
      const isTold = judged.isCut || !judged.hasForgotten || !has(judged, isError);
      return isTold ? judged : told(judged, run.seen, { ...first, storyEvents: Infinity });
    },
  };
}

/** A judged run, and what its judgement changes in the reports of a run with the same events. */
interface JudgedRun extends JudgedProgram {
  readonly change: Change;
}

type Change = (reports: readonly CheckReport[]) => readonly CheckReport[];

const nothing: Change = (reports) => reports;

/** Judges the first run of a program. */
async function judgedRun(run: CheckedProgram, first: Repeated): Promise<JudgedRun> {
  const again = { ...first, earlier: run.seen };
  const tells = run.hasForgotten && has(run, isError) ? { ...again, storyEvents: Infinity } : again;
  const byOrder = await judgedByOrder(await judgedByValues(run, tells), again);
  const byLines = await judgedByLines(byOrder, again);
  const hasty: Change = first.schedule.strategy === 'hasty' ? (reports) => reports.map(ofHasty) : nothing;
  const change: Change = (reports) => hasty(byLines.change(byOrder.change(reports)));
  return { ...byLines, change, runs: hasty(byLines.runs) };
}

/** The findings of a judged run, which then tell what happened to words. */
async function told(judged: JudgedRun, seen: EarlierRun, first: Repeated): Promise<JudgedProgram> {
  const run = await runWith({ ...first, earlier: seen }, { hardware: false, lines: first.lines });
  if (run.isCut || run.hash !== judged.hash) return judged;
  return { ...judged, runs: judged.change(run.runs) };
}

function runWith(
  { backend, schedule, program, deadline, earlier, storyEvents }: Repeated,
  rules: Pick<Rules, 'hardware' | 'lines'>,
): Promise<CheckedProgram> {
  return runOnce(backend({ ...rules, earlier, storyEvents }), schedule, program, deadline);
}

/**
 * If stores of equal values race, runs the program again with the histories of their words. They
 * show the races that such stores hide. If loads race, that run also shows if anybody uses their
 * values.
 */
async function judgedByValues(run: CheckedProgram, repeated: Repeated): Promise<CheckedProgram> {
  if (run.isCut || (run.seen.words.size === 0 && run.seen.loads.size === 0)) return run;
  const again = await runWith(repeated, { hardware: false, lines: repeated.lines });
  if (again.isCut) return { ...run, isCut: true };
  return again.hash === run.hash ? again : run;
}

async function judgedByOrder(run: CheckedProgram, repeated: Repeated): Promise<Omit<JudgedRun, 'lines'>> {
  if (run.isCut || !run.leansOnHardware || !has(run, isRace)) return { ...run, change: nothing };
  const again = await runWith(repeated, { hardware: true, lines: repeated.lines });
  if (again.isCut)
    return changed(
      run,
      eachFinding((one) => (isRace(one) ? unjudged(one, repeated.deadline?.bound) : one)),
    );
  if (again.hash !== run.hash) return { ...run, change: nothing };
  const left = new Map(errorsOf(again).map((one) => [findingKey(one), one]));
  const judge = eachFinding((one) => {
    if (!isRace(one)) return one;
    const onGpus = left.get(findingKey(one));
    return onGpus === undefined ? onHardware(one) : withMeeting(one, onGpus);
  });
  return changed(run, (reports) => judge(reports).map((report, i) => assuming(report, again.runs[i])));
}

async function judgedByLines(run: CheckedProgram, repeated: Repeated): Promise<JudgedRun> {
  const { lines: known } = repeated;
  const { store } = run.seenLines;
  const judged = { ...run, lines: undefined, change: nothing };
  if (run.isCut || store === undefined || !has(run, mayLeanOnLines)) return judged;
  const gathered = await runWith(repeated, { hardware: true, lines: 'all' });
  if (gathered.isCut) return judged;
  const lines = new Set([...(known ?? []), ...gathered.seenLines.lines]);
  if (lines.size === (known?.size ?? 0)) return judged;
  const again = await runWith(repeated, { hardware: true, lines });
  if (again.isCut) return judged;
  const left = keysOf(again);
  const isOfLines = (finding: Finding): boolean => mayLeanOnLines(finding) && !left.has(findingKey(finding));
  if (!has(run, isOfLines)) return judged;
  return {
    ...changed(
      run,
      eachFinding((one) => (isOfLines(one) ? ofLines(one, store) : one)),
    ),
    lines,
  };
}

/** A report with what the run in the order of GPUs has assumed. */
function assuming(report: CheckReport, onGpus: CheckReport | undefined): CheckReport {
  const all = new Approximations();
  for (const one of [...report.approximations, ...(onGpus?.approximations ?? [])]) all.add(one);
  return Object.freeze({ ...report, approximations: all.list });
}

function changed(run: CheckedProgram, change: Change): Omit<JudgedRun, 'lines'> {
  return { ...run, runs: change(run.runs), change };
}

function isError({ severity }: Finding): boolean {
  return severity === 'error';
}

function isRace({ kind, severity }: Finding): boolean {
  return kind === 'race' && severity === 'error';
}

function has({ runs }: CheckedProgram, is: (finding: Finding) => boolean): boolean {
  return runs.some(({ findings }) => findings.some(is));
}

function keysOf(run: CheckedProgram): ReadonlySet<string> {
  return new Set(errorsOf(run).map(findingKey));
}

function errorsOf({ runs }: CheckedProgram): readonly Finding[] {
  return runs.flatMap(({ findings }) => findings.filter(isError));
}

/**
 * The race with the threads that do not meet, if GPUs lack only that. A stronger order of a flag
 * would not make it disappear.
 */
function withMeeting(race: Finding, onGpus: Finding): Finding {
  const [nearest] = onGpus.missing;
  const lacksOrders =
    race.missing.length > 0 && race.missing.every(({ kind }) => kind === 'release' || kind === 'acquire');
  if (nearest?.kind !== 'coop-sync' || !lacksOrders) return race;
  return Object.freeze({ ...race, missing: Object.freeze([nearest, ...race.missing]) });
}

function eachFinding(change: (finding: Finding) => Finding): Change {
  return (reports) =>
    reports.map((report) => Object.freeze({ ...report, findings: report.findings.map((one) => change(one)) }));
}

/** A race that was not tested with the order of GPUs, because the check ended first. */
function unjudged(race: Finding, why = 'the check was stopped'): Finding {
  const message = `${race.message} by the memory model; whether GPUs order them was not looked at, since ${why}`;
  return Object.freeze({ ...race, message });
}
