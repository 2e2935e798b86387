import { buildReport, type CheckReport } from '@nccl-ts/findings';
import type { Determinacy, Overtaken } from '@nccl-ts/memory-model';
import { simWith, type SimBackend } from '../sim-backend.ts';
import { resolveSimOptions } from '../sim-options.ts';
import type { CheckRequest } from './check-request.ts';
import { runJudged } from './run-judged.ts';

/** The conclusion from one run. */
export interface SeenOnce {
  /** What was found, with waits counted as having read the least that lets them pass. */
  readonly report: CheckReport;
  /** Why other runs may differ; absent: nothing that happened could have happened otherwise, so what is found is there in every run. */
  readonly doubt: string | undefined;
  /** Changes of words that others may overtake: schedules in which they do may show more. */
  readonly overtaken: readonly Overtaken[];
  /** How many worlds the program opened. */
  readonly worlds: number;
  /** Whether the network did anything. */
  readonly hasNetwork: boolean;
  /** Whether the time was over before the run was. */
  readonly isCut: boolean;
}

/** How often it is run at most, each time with less that waits count as having learned. */
const ROUNDS = 8;

/**
 * Runs a program once, and looks whether that shows all there is of the runs that the memory model allows. Where waits may pass by several
 * parts of a sum, it is run again, the same way, with less that they learn.
 *
 * @throws what the program throws that is no finding.
 */
export async function seeOnce(request: CheckRequest): Promise<SeenOnce> {
  // By world: what waits count as not having learned.
  const omits: ReadonlySet<string>[] = [];
  const overtaken: Overtaken[] = [];
  for (let round = 1; ; round++) {
    const { report, accounts, isCut } = await counted(request, omits);
    for (const account of accounts) account.settle();
    overtaken.push(...accounts.flatMap((one) => one.overtaken));
    const doubts = accounts.map(({ doubt }) => doubt);
    const mayLearnLess = accounts.every(({ lacks, doubt }) => doubt === undefined || lacks.size > 0);
    const seen = {
      report,
      overtaken,
      worlds: accounts.length,
      hasNetwork: accounts.some(({ hasNetwork }) => hasNetwork),
      isCut,
    };
    if (isCut) return { ...seen, doubt: request.deadline.bound };
    const doubt = doubts.find((one) => one !== undefined) ?? doubtOf(report, round, accounts);
    if (doubt === undefined || report.verdict !== 'clean' || !mayLearnLess || round === ROUNDS)
      return { ...seen, doubt };
    accounts.forEach(({ lacks }, world) => {
      omits[world] = new Set([...(omits[world] ?? []), ...lacks]);
    });
  }
}

/** Why what was found need not be in every run; `undefined` where it is, or nothing was found. */
function doubtOf({ verdict }: CheckReport, round: number, accounts: readonly Determinacy[]): string | undefined {
  if (verdict === 'clean') return undefined;
  // What stands still, fails or breaks a rule has not gone through all of the program.
  if (verdict !== 'race') return 'the run has not gone through all of the program';
  if (accounts.some(({ hasSequence }) => hasSequence)) return 'sequentially consistent fences may come in either order';
  const isExact = round === 1 && !accounts.some(({ isRough }) => isRough);
  return isExact ? undefined : 'waits count as having read less than they need';
}

/** One run, with an account for each world of whether there are others. */
async function counted(
  { options, program, deadline }: CheckRequest,
  omits: readonly ReadonlySet<string>[],
): Promise<{ readonly report: CheckReport; readonly accounts: readonly Determinacy[]; readonly isCut: boolean }> {
  // Requests one after the other, and no sooner seen than the ones before: what a wait passes by is then the least that it passes by.
  const gin = { ...options.gin, delivery: 'prompt' } as const;
  const resolved = resolveSimOptions({ ...options, gin, mode: 'check' });
  const { strategy, seed, strict } = resolved;
  const accounts: Determinacy[] = [];
  const backend = (hardware: boolean): SimBackend => {
    // The second run opens the same worlds again.
    const opened: Determinacy[] = hardware ? [] : accounts;
    return simWith(resolved, undefined, {
      onDeterminacy: (account) => opened.push(account),
      omits: () => omits[opened.length],
      hardware,
    });
  };
  const { runs, isCut } = await runJudged(backend, { strategy, seed }, program, deadline);
  const patient = accounts.some(({ isPatient }) => isPatient) ? { patient: true as const } : {};
  return {
    report: buildReport({ runs, proves: { kind: 'all schedules', count: 1, ...patient }, strict }),
    accounts,
    isCut,
  };
}
