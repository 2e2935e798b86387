import { buildReport, type CheckReport } from '@nccl-ts/findings';
import type { Determinacy, Overtaken } from '@nccl-ts/memory-model';
import { simWith, resolveSimOptions } from '@nccl-ts/backend-sim/internal';
import type { SimBackend } from '@nccl-ts/backend-sim';
import type { CheckRequest } from './check-request.ts';
import { FirstPart, type RunDeadline } from './first-part.ts';
import type { CheckedProgram } from './run-once.ts';
import { runUnjudged, type Rules } from './run-judged.ts';

/** The conclusion from one run. */
export interface SeenOnce {
  /**
   * The findings, if each wait counts as having read the smallest value that satisfies it. With a
   * doubt that no further run removes, orders of GPUs do not count yet: a race may be a warning.
   */
  readonly report: CheckReport;
  /**
   * The reason why other runs may differ. If it is absent, everything that happened was inevitable,
   * so the findings hold for every run.
   */
  readonly doubt: string | undefined;
  /** Changes of words that other changes may overtake. Schedules in which they do may show more. */
  readonly overtaken: readonly Overtaken[];
  /** The number of worlds that the program opens. */
  readonly worlds: number;
  /** True if waits with time limits have passed. */
  readonly hasTimeLimits: boolean;
  /** True if the program used the network. */
  readonly hasNetwork: boolean;
  /**
   * True if the run was cut, because the time expired, or half of it after the run had shown an
   * error.
   */
  readonly isCut: boolean;
}

/** The largest number of runs. Each assumes that waits have learned less than in the run before. */
const ROUNDS = 8;

/**
 * Runs a program once, and tests if that run represents all runs that the memory model allows. If
 * waits may be satisfied by different parts of a sum, it repeats the run and assumes that they have
 * learned less.
 *
 * @throws errors of the program that are not findings.
 */
export async function seeOnce(request: CheckRequest): Promise<SeenOnce> {
  const part = new FirstPart(request.deadline);
  try {
    return await seeOnceUntil(request, part);
  } finally {
    part.dispose();
  }
}

async function seeOnceUntil(request: CheckRequest, deadline: RunDeadline): Promise<SeenOnce> {
  // By world: what waits count as not having learned.
  const omits: ReadonlySet<string>[] = [];
  const overtaken: Overtaken[] = [];
  for (let round = 1; ; round++) {
    const { report: unjudged, accounts, onGpus, isCut, judge } = await counted(request, deadline, omits);
    for (const account of accounts) account.settle();
    overtaken.push(...accounts.flatMap((one) => one.overtaken));
    const own = doubtIn(accounts);
    const mayLearnLess = round < ROUNDS && accounts.every(isHopeful);
    // The schedules after a doubtful run judge what it shows, so it is not judged here.
    const isJudged = !isCut && (own === undefined || mayLearnLess);
    const judged = isJudged ? await judge() : undefined;
    const report = judged?.report ?? unjudged;
    const seen = {
      report,
      overtaken,
      worlds: accounts.length,
      hasTimeLimits: accounts.some(({ isPatient }) => isPatient),
      hasNetwork: accounts.some(({ hasNetwork }) => hasNetwork),
      isCut: judged?.isCut ?? isCut,
    };
    if (seen.isCut) return { ...seen, doubt: deadline.bound };
    // A race that GPUs order, and that is only a warning therefore, leaves the program as it is on
    // GPUs, where other runs may differ for other reasons.
    const isOfGpus = report.findings.some(({ severity }) => severity === 'model');
    const counts = isOfGpus ? [...accounts, ...onGpus] : accounts;
    const doubt = own ?? doubtIn(counts) ?? doubtOf(report, round, counts);
    if (doubt === undefined && isExact(round, counts)) return { ...seen, report: inevitable(report), doubt };
    if (doubt === undefined || report.verdict !== 'clean' || !mayLearnLess || !counts.every(isHopeful))
      return { ...seen, doubt };
    accounts.forEach(({ lacks }, world) => {
      const more = isOfGpus ? (onGpus[world]?.lacks ?? []) : [];
      omits[world] = new Set([...(omits[world] ?? []), ...lacks, ...more]);
    });
  }
}

function doubtIn(accounts: readonly Determinacy[]): string | undefined {
  return accounts.map(({ doubt }) => doubt).find((one) => one !== undefined);
}

/** True if there is no doubt, or one that a run may remove in which waits have learned less. */
function isHopeful({ lacks, doubt }: Determinacy): boolean {
  return doubt === undefined || lacks.size > 0;
}

/**
 * The reason why the findings need not occur in every run, or why there may be more; `undefined` if
 * there is none.
 */
function doubtOf({ verdict }: CheckReport, round: number, accounts: readonly Determinacy[]): string | undefined {
  if (verdict === 'clean') {
    const isComplete = !accounts.some(({ hasDroppedStores }) => hasDroppedStores);
    return isComplete ? undefined : 'more stores to a word race than are remembered';
  }
  // A run that hangs, fails or breaks a rule has not executed the whole program.
  if (verdict !== 'race') return 'the run did not reach the end of the program';
  if (accounts.some(({ hasSequence }) => hasSequence)) return 'sequentially consistent fences may come in either order';
  return isExact(round, accounts) ? undefined : 'waits count as having read less than they need';
}

/** True if waits count as having read what they need, and no less. */
function isExact(round: number, accounts: readonly Determinacy[]): boolean {
  return round === 1 && !accounts.some(({ isRough }) => isRough);
}

/** A report whose findings every schedule shows. */
function inevitable(report: CheckReport): CheckReport {
  const findings = report.findings.map((one) => Object.freeze({ ...one, certainty: 'every schedule' } as const));
  return Object.freeze({ ...report, findings: Object.freeze(findings) });
}

/** One run, and what its judgement adds. */
interface Counted {
  readonly report: CheckReport;
  readonly isCut: boolean;
  /** By world. */
  readonly accounts: readonly Determinacy[];
  /** The same in the order of GPUs. Empty until a judgement needs such a run. */
  readonly onGpus: readonly Determinacy[];
  readonly judge: () => Promise<Pick<Counted, 'report' | 'isCut'>>;
}

/** One run, with an account of other possible runs for each world. */
async function counted(
  { options, program }: CheckRequest,
  deadline: RunDeadline,
  omits: readonly ReadonlySet<string>[],
): Promise<Counted> {
  // Requests complete in order, so the smallest sufficient value satisfies a wait.
  const gin = { ...options.gin, delivery: 'prompt' } as const;
  const resolved = resolveSimOptions({ ...options, gin, mode: 'check' });
  const { strategy, seed, strict } = resolved;
  const accounts: Determinacy[] = [];
  const onGpus: Determinacy[] = [];
  const backend = ({ hardware, lines, earlier, storyEvents }: Rules): SimBackend => {
    // Further runs open the same worlds again. Those with whole lines have other schedules.
    const isOther = hardware ? lines !== undefined : earlier !== undefined;
    const opened: Determinacy[] = isOther ? [] : hardware ? onGpus : accounts;
    return simWith(resolved, undefined, {
      onDeterminacy: (account) => opened.push(account),
      omits: () => omits[opened.length],
      hardware,
      lines,
      earlier,
      storyEvents,
    });
  };
  const { run, judge } = await runUnjudged(backend, { strategy, seed }, program, deadline);
  const patient = accounts.some(({ isPatient }) => isPatient) ? { patient: true as const } : {};
  const reported = ({ runs, isCut }: CheckedProgram): Pick<Counted, 'report' | 'isCut'> => ({
    report: buildReport({ runs, proves: { kind: 'all schedules', count: 1, ...patient }, strict }),
    isCut,
  });
  return { ...reported(run), accounts, onGpus, judge: async () => reported(await judge()) };
}
