import { buildReport, type CheckReport } from '@nccl-ts/findings';
import type { Determinacy, Overtaken } from '@nccl-ts/memory-model';
import { overtakingScheduler } from '../schedule/overtaking-scheduler.ts';
import type { Scheduler } from '../schedule/scheduler.ts';
import { schedulerOf } from '../schedule/strategies.ts';
import { simWith, type SimBackend, type SimParts } from '../sim-backend.ts';
import { resolveSimOptions, type ResolvedSimOptions, type SimOptions } from '../sim-options.ts';
import { runOnce } from './run-once.ts';

/** What one run shows of all. */
export type SeenOnce =
  /** Nothing that happened could have happened otherwise: all runs are like it, and what races in it races. */
  | { readonly kind: 'all'; readonly report: CheckReport }
  /** Why others may differ; `report`: what is wrong in a schedule that was tried for that, if anything is. */
  | { readonly kind: 'one'; readonly doubt: string; readonly report: CheckReport | undefined };

/** How often it is run at most, each time with less that waits count as having learned. */
const ROUNDS = 8;

/** How many schedules are tried in which the threads of a CTA come apart. */
const APART = 4;

/** How many changes of words are held back, one in each run, to see what becomes of those that overtake them. */
const OVERTAKEN = 8;

/**
 * Runs a program once, and looks whether that shows what there is of all runs that the memory model allows. Where waits may pass by several parts of a
 * sum, it is run again, the same way, with less that they learn.
 *
 * @throws what `program` throws that is no finding.
 */
export async function seeOnce(
  options: Omit<SimOptions, 'mode' | 'strategy'>,
  program: (backend: SimBackend) => Promise<void>,
): Promise<SeenOnce> {
  const runs = new Runs(options, program);
  // By world: what waits count as not having learned.
  const omits: ReadonlySet<string>[] = [];
  const overtaken: Overtaken[] = [];
  for (let round = 1; ; round++) {
    const { report, accounts } = await runs.counted(omits);
    for (const account of accounts) account.settle();
    const doubts = accounts.map(({ doubt }) => doubt);
    const doubt = doubts.find((one) => one !== undefined);
    // What stands still, fails or breaks a rule has not gone through all of the program.
    const isExact = round === 1 && !accounts.some(({ isRough }) => isRough);
    const isSeen = report.verdict === 'clean' || (report.verdict === 'race' && isExact);
    if (doubt === undefined && isSeen) return { kind: 'all', report };
    overtaken.push(...accounts.flatMap((one) => one.overtaken));
    const mayLearnLess = accounts.every(({ lacks }, world) => doubts[world] === undefined || lacks.size > 0);
    if (report.verdict !== 'clean' || !mayLearnLess || round === ROUNDS) {
      // Waits count as having read no more than they need: what was found need not be wrong with this schedule, or with any.
      const plain = report.verdict === 'clean' ? undefined : await runs.plain();
      const wrong = plain ?? (await runs.overtaking(overtaken)) ?? (await runs.apart());
      return { kind: 'one', doubt: doubt ?? 'something was found', report: wrong };
    }
    accounts.forEach(({ lacks }, world) => {
      omits[world] = new Set([...(omits[world] ?? []), ...lacks]);
    });
  }
}

/** Runs of one program. */
class Runs {
  readonly #options: ResolvedSimOptions;
  readonly #program: (backend: SimBackend) => Promise<void>;

  constructor(options: Omit<SimOptions, 'mode' | 'strategy'>, program: (backend: SimBackend) => Promise<void>) {
    // Requests one after the other, and no sooner seen than the ones before: what a wait passes by is then the least that it passes by.
    const gin = { ...options.gin, delivery: 'prompt' } as const;
    this.#options = resolveSimOptions({ ...options, gin, mode: 'check' });
    this.#program = program;
  }

  /** With an account for each world of whether there are other runs. */
  async counted(
    omits: readonly ReadonlySet<string>[],
  ): Promise<{ readonly report: CheckReport; readonly accounts: readonly Determinacy[] }> {
    const accounts: Determinacy[] = [];
    const reportOf = await this.#run(this.#options, {
      onDeterminacy: (account) => accounts.push(account),
      omits: () => omits[accounts.length],
    });
    const patient = accounts.some(({ isPatient }) => isPatient) ? { patient: true as const } : {};
    return { report: reportOf({ kind: 'all schedules', count: 1, ...patient }), accounts };
  }

  /** The same schedule, with all that waits read; `undefined` where it is clean. */
  async plain(): Promise<CheckReport | undefined> {
    return this.#wrong(this.#options);
  }

  /** Schedules in which others overtake these changes of words, and the threads of a CTA stay together or do not; the first that is not clean. */
  async overtaking(overtaken: readonly Overtaken[]): Promise<CheckReport | undefined> {
    for (const one of spread(overtaken).slice(0, OVERTAKEN)) {
      for (const strategy of ['random', 'late'] as const) {
        const { gin, seed } = this.#options;
        const tasks = schedulerOf({ strategy, seed, depth: 1, replay: '' });
        const options = { ...this.#options, strategy, gin: { ...gin, delivery: strategy } };
        const wrong = await this.#wrong(options, overtakingScheduler(tasks, one));
        if (wrong !== undefined) return wrong;
      }
    }
    return undefined;
  }

  /** Schedules in which the threads of a CTA come apart; the first that is not clean. */
  async apart(): Promise<CheckReport | undefined> {
    const { gin, seed } = this.#options;
    const how = { strategy: 'late', gin: { ...gin, delivery: 'late' } } as const;
    for (let i = 0; i < APART; i++) {
      const wrong = await this.#wrong({ ...this.#options, ...how, seed: seed + i });
      if (wrong !== undefined) return wrong;
    }
    return undefined;
  }

  async #wrong(options: ResolvedSimOptions, scheduler?: Scheduler): Promise<CheckReport | undefined> {
    const { strategy, seed } = options;
    const report = (await this.#run(options, {}, scheduler))({ kind: 'this schedule', strategy, seed });
    return report.verdict === 'clean' ? undefined : report;
  }

  async #run(
    options: ResolvedSimOptions,
    parts: SimParts,
    scheduler?: Scheduler,
  ): Promise<(proves: CheckReport['proves']) => CheckReport> {
    const { strategy, seed, strict } = options;
    const { runs } = await runOnce(simWith(options, scheduler, parts), { strategy, seed }, this.#program);
    return (proves) => buildReport({ runs, proves, strict });
  }
}

/** The same, those of different words first. */
function spread(overtaken: readonly Overtaken[]): readonly Overtaken[] {
  const counts = new Map<number, number>();
  const numbered = overtaken.map((one) => {
    const before = counts.get(one.address) ?? 0;
    counts.set(one.address, before + 1);
    return { one, before };
  });
  return numbered.toSorted((a, b) => a.before - b.before).map(({ one }) => one);
}
