import { isEvident } from './evident-equivalence.ts';
import type { Job, JobResponse } from './job.ts';
import type { Ledger, LedgerMutant, LedgerSubject } from './ledger.ts';
import type { Listing } from './listing.ts';
import type { Limits } from './limits.ts';
import { ALL_RUNS } from './fate.ts';
import { isLarge, type Proof } from './outcome.ts';
import type { Subject } from './subject.ts';
import { SubjectPlan, type MutantTarget } from './subject-plan.ts';
import type { Trial } from './trial.ts';

/**
 * The next task: to list a program's mutants, to try one, or to prove that one is no worse than its
 * kernel.
 */
export type CampaignTask =
  | { readonly kind: 'list'; readonly plan: SubjectPlan }
  | { readonly kind: 'try' | 'prove'; readonly plan: SubjectPlan; readonly target: MutantTarget };

/** The remaining tasks of a campaign, the longest first, and its results. */
export class CampaignPlan {
  readonly limits: Limits;
  readonly #subjects: ReadonlyMap<string, Subject>;
  readonly #trials: readonly Trial[];
  readonly #plans: readonly SubjectPlan[];
  readonly #unlisted: SubjectPlan[];
  /** The earlier results of programs that are not run. */
  readonly #others: readonly LedgerSubject[];

  /** @throws RangeError if the `known` results come from other trials. */
  constructor(subjects: readonly Subject[], trials: readonly Trial[], limits: Limits, known?: Ledger) {
    if (known !== undefined && known.trials.join() !== trials.map(trialName).join()) {
      throw new RangeError(`The resumed results come from other trials: ${known.trials.join(', ')}.`);
    }
    const before = new Map(known?.subjects.map((one) => [one.subject, one]));
    this.limits = limits;
    this.#subjects = new Map(subjects.map((one) => [one.name, one]));
    this.#trials = trials;
    this.#plans = subjects.map(({ name }) => new SubjectPlan(name, limits, before.get(name)));
    this.#unlisted = this.#plans.filter((plan) => plan.known === undefined);
    this.#others = known?.subjects.filter(({ subject }) => !this.#subjects.has(subject)) ?? [];
  }

  get ledger(): Ledger {
    const subjects = [...this.#plans.flatMap(({ known }) => known ?? []), ...this.#others];
    return { trials: this.#trials.map(trialName), subjects };
  }

  /**
   * The numbers of unlisted programs and untried mutants, without those in progress.
   */
  get left(): { readonly subjects: number; readonly mutants: number } {
    return { subjects: this.#unlisted.length, mutants: this.#plans.reduce((sum, { untried }) => sum + untried, 0) };
  }

  /**
   * The next task of a process that has `current` open; undefined if there is none at the moment.
   */
  next(current: string | undefined): CampaignTask | undefined {
    const unlisted = this.#unlisted.shift();
    if (unlisted !== undefined) return { kind: 'list', plan: unlisted };
    const own = this.#plans.find(({ name }) => name === current);
    const plan = own !== undefined && own.untried > 0 ? own : this.#longest();
    const target = plan?.takeUntried();
    if (plan !== undefined && target !== undefined) return { kind: 'try', plan, target };
    if (this.limits.proofRuns === undefined) return undefined;
    for (const one of own === undefined ? this.#plans : [own, ...this.#plans]) {
      const unproven = one.takeUnproven();
      if (unproven !== undefined) return { kind: 'prove', plan: one, target: unproven };
    }
    return undefined;
  }

  #longest(): SubjectPlan | undefined {
    const loads = this.#plans.filter(({ untried }) => untried > 0).map((plan) => ({ plan, load: plan.load }));
    return loads.toSorted((a, b) => b.load - a.load)[0]?.plan;
  }

  /** Drops the results of changed kernels when a program is opened again. */
  relist(name: string, listing: Listing): void {
    const plan = this.#plans.find((one) => one.name === name);
    plan?.list(listing, plan.known?.seconds ?? 0);
  }

  /** The job for a task. */
  jobOf(task: CampaignTask): Job {
    const subject = task.plan.name;
    if (task.kind === 'list') return { kind: 'open', subject };
    const { kernel, mutant } = task.target;
    const { id } = mutant;
    if (task.kind === 'try') return { kind: 'try', subject, kernel, id };
    const { fate } = mutant;
    const isOpen = fate?.kind === 'survived' && !isEvident(fate.equivalence);
    return { kind: 'prove', subject, kernel, id, runs: isOpen ? (this.limits.proofRuns ?? 0) : 0 };
  }

  secondsFor(task: CampaignTask): number {
    const { subjectSeconds, mutantSeconds, proofSeconds } = this.limits;
    return { list: subjectSeconds, try: mutantSeconds, prove: proofSeconds }[task.kind];
  }

  /** Records the result of a task. */
  done(task: CampaignTask, answer: JobResponse, seconds: number): void {
    if (answer.kind === 'opened') task.plan.list(answer.listing, seconds);
    else if (answer.kind === 'failed') this.lost(task, answer.why);
    else if (task.kind === 'list')
      throw new TypeError(`${task.plan.name} should have been listed, but was ${answer.kind}.`);
    else if (answer.kind === 'tried') Object.assign(task.target.mutant, { fate: answer.fate, seconds });
    else if (answer.kind === 'proven') this.#proven(task.target.mutant, answer.equivalence);
    else throw new TypeError(`${task.plan.name} should have been tried, but was ${answer.kind}.`);
  }

  /** Records that a task has no result. */
  lost(task: CampaignTask, why: string): void {
    switch (task.kind) {
      case 'list':
        this.#leaveOut(task.plan, why);
        break;
      case 'try':
        task.target.mutant.fate = { kind: 'unknown', why, seconds: this.limits.mutantSeconds };
        break;
      case 'prove':
        this.#proven(task.target.mutant, { kind: 'unproven', why: knownWhy(task.target.mutant) ?? why });
    }
  }

  #leaveOut(plan: SubjectPlan, said: string): void {
    const shape = this.#subjects.get(plan.name)?.shape;
    const [trial] = this.#trials;
    if (shape === undefined || trial === undefined) return;
    plan.list(
      { subject: plan.name, shape, unclean: { by: 'time', said, trial }, kernels: [] },
      this.limits.subjectSeconds,
    );
  }

  #proven(mutant: LedgerMutant, equivalence: Proof): void {
    const { fate } = mutant;
    if (fate?.kind === 'killed') mutant.contradicted = equivalence.kind === 'exhaustive';
    if (fate?.kind !== 'survived') return;
    const { proofRuns: runs = 0, proofSeconds: seconds } = this.limits;
    // Proofs that need no run are kept for programs of any size.
    const isKept = isEvident(fate.equivalence) && !(equivalence.kind === 'exhaustive' && isLarge(equivalence.size));
    mutant.fate =
      equivalence.kind === 'wrong'
        ? { kind: 'killed', by: equivalence.by, how: ALL_RUNS, tried: fate.tried }
        : { ...fate, equivalence: isKept ? fate.equivalence : equivalence, proof: { runs, seconds } };
  }
}

/** The reason why an earlier attempt at a proof failed. */
function knownWhy({ fate }: LedgerMutant): string | undefined {
  if (fate?.kind !== 'survived' || fate.proof === undefined) return undefined;
  return fate.equivalence.kind === 'unproven' ? fate.equivalence.why : undefined;
}

function trialName({ strategy, seed }: Trial): string {
  return `${strategy}:${seed}`;
}
