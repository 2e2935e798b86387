import { at } from '@nccl-ts/core';
import {
  ReportBuilder,
  type CheckReport,
  type Finding,
  type Proof,
  type ProofPart,
  type ScheduleId,
} from '@nccl-ts/findings';
import type { Overtaken } from '@nccl-ts/memory-model';
import {
  overtakingScheduler,
  type Scheduler,
  schedulerOf,
  simWith,
  resolveSimOptions,
} from '@nccl-ts/backend-sim/internal';
import type { SimBackend, SimOptions } from '@nccl-ts/backend-sim';
import { isWrong, type CheckRequest } from './check-request.ts';
import { hastySchedules } from './hasty.ts';
import { runJudged, type JudgedProgram, type Rules } from './run-judged.ts';
import type { CheckedProgram } from './run-once.ts';
import type { SeenOnce } from './see-once.ts';

/** The strategies in turn. `late` comes first, since it finds the most. */
const TURNS = ['late', 'pct', 'random'] as const;

/** The default number of schedules of a portfolio. */
export const SCHEDULES = 15;

/**
 * The number of changes to words that are held back, one in each run, so that later changes
 * overtake them.
 */
const OVERTAKEN = 8;

/**
 * After so many schedules in which a thread ran all rounds that it may run, the others are left
 * out. Each of them would take as long, and none could complete the check.
 */
const ENDLESS = 3;

/** One schedule of a portfolio. */
interface PortfolioSchedule {
  readonly what: 'plain' | 'overtaking' | 'late' | 'pct' | 'random';
  readonly options: Pick<SimOptions, 'seed' | 'gin'> & { readonly strategy: 'late' | 'pct' | 'random' };
  /**
   * Makes the scheduler, instead of the strategy. Each run has its own, since a scheduler remembers
   * its choices.
   */
  readonly scheduler?: () => Scheduler;
}

/** The results of a portfolio. */
export interface PortfolioResult {
  readonly report: CheckReport;
  /** The number of schedules of each kind. */
  readonly parts: readonly ProofPart[];
  /** True if schedules were left out: the time expired, or a loop does not end. */
  readonly isCut: boolean;
}

/**
 * Runs a program under a fixed number of schedules of several strategies, all based on the seed,
 * until the first error. The earlier run with counted waits adds some schedules: the same one, if
 * it has findings, and some in which signals overtake each other.
 *
 * @throws errors of the program that are not findings.
 */
export async function portfolio(request: CheckRequest, once: SeenOnce, schedules: number): Promise<PortfolioResult> {
  const { deadline, news, options } = request;
  const builder = new ReportBuilder(options.strict === undefined ? {} : { strict: options.strict });
  const counts = new Map<string, number>();
  let first: CheckedProgram | undefined;
  // After a finding that only whole lines explain, the other schedules have whole lines. Otherwise
  // each of them would show it again, and nothing else.
  let lines: ReadonlySet<string> | undefined;
  let endless = 0;
  const turns = [...turnsOf(request, once, schedules)];
  for (const [i, turn] of turns.entries()) {
    if (deadline.isOver) break;
    news.begins(`schedule ${i + 1} of ${turns.length}, ${turn.what}`);
    const run = await runTurn(request, turn, lines);
    counts.set(turn.what, (counts.get(turn.what) ?? 0) + 1);
    for (const one of run.runs) builder.add(one);
    const report = builder.report(proofOf(counts, options));
    news.report(report);
    if (isWrong(report)) return { report, parts: partsOf(counts), isCut: false };
    endless += Number(run.runs.some(hasEndlessLoop));
    if (endless === ENDLESS) return { report, parts: partsOf(counts), isCut: true };
    // Behaviour that does not depend on the seed alone cannot be replayed. So the first schedule is
    // run again and must behave the same.
    if (first === undefined && !deadline.isOver) {
      first = run;
      const again = await runTurn(request, turn, lines);
      if (again.hash !== run.hash && !deadline.isOver)
        builder.add({ findings: [uncontrolled(scheduleOf(turn))], accesses: 0 });
    }
    lines = run.lines ?? lines;
  }
  if (once.hasTimeLimits && !deadline.isOver) {
    const hasty = await hastySchedules(request);
    counts.set('hasty', hasty.count);
    builder.add(hasty.report);
    const report = builder.report(proofOf(counts, options));
    if (isWrong(report)) return { report, parts: partsOf(counts), isCut: false };
  }
  const isCut = deadline.isOver;
  const proves: Proof = isCut ? { kind: 'nothing', bound: deadline.bound } : proofOf(counts, options);
  return { report: builder.report(proves), parts: partsOf(counts), isCut };
}

/**
 * True if a thread ran all its rounds in a loop that waits for nothing. In a CTA that spent its
 * turns one may wait, and another schedule may show for what.
 */
function hasEndlessLoop({ findings }: CheckReport): boolean {
  return findings.some(({ fault }) => fault?.kind === 'fuel' && fault.turns === undefined);
}

/** All schedules, most promising first. */
function* turnsOf(
  { options }: CheckRequest,
  { report, overtaken }: SeenOnce,
  schedules: number,
): Generator<PortfolioSchedule> {
  const { seed = 1, gin } = options;
  if (report.verdict !== 'clean')
    yield { what: 'plain', options: { strategy: 'random', seed, gin: { ...gin, delivery: 'prompt' } } };
  for (const one of spread(overtaken).slice(0, OVERTAKEN)) {
    for (const strategy of ['random', 'late'] as const) {
      const tasks = (): Scheduler => schedulerOf({ strategy, seed, depth: 1, replay: '' });
      const how = { strategy, seed, gin: { ...gin, delivery: strategy } };
      yield { what: 'overtaking', options: how, scheduler: () => overtakingScheduler(tasks(), one) };
    }
  }
  for (let i = 0; i < schedules; i++) {
    const strategy = at(TURNS, i % TURNS.length);
    yield { what: strategy, options: { strategy, seed: seed + i } };
  }
}

async function runTurn(
  { options, program, deadline }: CheckRequest,
  turn: PortfolioSchedule,
  lines: ReadonlySet<string> | undefined,
): Promise<JudgedProgram> {
  const resolved = resolveSimOptions({ ...options, ...turn.options, mode: 'check' });
  // A judged run may run twice. Each run asks for a backend, and gets a fresh scheduler with it.
  const backend = (rules: Rules): SimBackend => simWith(resolved, turn.scheduler?.(), rules);
  return runJudged(backend, scheduleOf(turn), program, deadline, lines);
}

function scheduleOf({ options: { strategy, seed = 1 } }: PortfolioSchedule): ScheduleId {
  return Object.freeze({ strategy, seed });
}

function proofOf(counts: ReadonlyMap<string, number>, { seed = 1 }: CheckRequest['options']): Proof {
  return { kind: 'portfolio', parts: partsOf(counts), seed };
}

function partsOf(counts: ReadonlyMap<string, number>): readonly ProofPart[] {
  return [...counts].map(([what, count]) => ({ what, count }));
}

/** The finding that a schedule gives another result when it is run again. */
export function uncontrolled(schedule: ScheduleId): Finding {
  return Object.freeze({
    kind: 'incomplete',
    severity: 'error',
    message: 'two runs of one schedule differ: the program depends on something that the seed does not decide',
    labels: [],
    missing: [],
    certainty: 'this schedule',
    schedule,
  } satisfies Finding);
}

/** The same changes, those of different words first. */
function spread(overtaken: readonly Overtaken[]): readonly Overtaken[] {
  const counts = new Map<number, number>();
  const numbered = overtaken.map((one) => {
    const before = counts.get(one.address) ?? 0;
    counts.set(one.address, before + 1);
    return { one, before };
  });
  return numbered.toSorted((a, b) => a.before - b.before).map(({ one }) => one);
}
