import { isEvident, strongerThan } from './evident-equivalence.ts';
import { ALL_RUNS } from './fate.ts';
import type { Ledger, LedgerMutant, LedgerSubject } from './ledger.ts';
import type { Limits } from './limits.ts';
import type { Listing } from './listing.ts';

/** A mutant of a kernel of a program. */
export interface MutantTarget {
  readonly kernel: string;
  readonly mutant: LedgerMutant;
}

/** The remaining tasks for one program, and its results. */
export class SubjectPlan {
  readonly name: string;
  /** The number of processes that are trying its mutants. */
  workers = 0;
  #known: LedgerSubject | undefined;
  #untried: MutantTarget[] = [];
  readonly #limits: Limits;
  readonly #proving = new Set<LedgerMutant>();

  constructor(name: string, limits: Limits, known: Ledger['subjects'][number] | undefined) {
    this.name = name;
    this.#limits = limits;
    // A worker with more time repeats a trial that took too long.
    if (known?.unclean?.by === 'time' && known.seconds < limits.subjectSeconds) return;
    if (known !== undefined) this.#take(known);
  }

  get known(): LedgerSubject | undefined {
    return this.#known;
  }

  get untried(): number {
    return this.#untried.length;
  }

  /** Estimates how many seconds each of its processes would still need with one more process. */
  get load(): number {
    const tried = this.#mutants().flatMap(({ mutant }) => mutant.seconds ?? []);
    const each = tried.length === 0 ? (this.#known?.seconds ?? 0) : tried.reduce((a, b) => a + b, 0) / tried.length;
    return (this.untried * each) / (this.workers + 1);
  }

  /** Keeps the results of mutants, unless these have changed. */
  list(listing: Listing, seconds: number): void {
    if (this.#known !== undefined && idsOf(this.#known) === idsOf(listing)) return;
    const kernels = listing.kernels.map((one) => ({ ...one, mutants: one.mutants.map((mutant) => ({ ...mutant })) }));
    this.#take({ ...listing, kernels, seconds });
  }

  /** The next mutant without a result. */
  takeUntried(): MutantTarget | undefined {
    return this.#untried.shift();
  }

  /**
   * The next survivor without a proof attempt, or without one of this length. Stronger mutants come
   * first: if all runs of a mutant are clean, so are those of one that does less.
   */
  takeUnproven(): MutantTarget | undefined {
    for (const { mutants, kernel } of this.#known?.kernels ?? []) {
      for (const mutant of mutants) {
        if (this.#limits.crossCheck && isUnchecked(mutant) && !this.#proving.has(mutant)) {
          this.#proving.add(mutant);
          return { kernel, mutant };
        }
        if (!this.#isUnproven(mutant)) continue;
        const stronger = strongerThan(mutant, mutants);
        const [shown] = stronger.flatMap(({ id: of, fate }) =>
          fate?.kind === 'survived' && fate.equivalence.kind === 'exhaustive'
            ? [{ of, size: fate.equivalence.size }]
            : [],
        );
        if (shown !== undefined && mutant.fate?.kind === 'survived') {
          mutant.fate = { ...mutant.fate, equivalence: { kind: 'less than', ...shown } };
          continue;
        }
        if (this.#proving.has(mutant) || stronger.some((one) => this.#isUnproven(one))) continue;
        this.#proving.add(mutant);
        return { kernel, mutant };
      }
    }
    return undefined;
  }

  #isUnproven({ fate }: LedgerMutant): boolean {
    if (fate?.kind !== 'survived') return false;
    if (isEvident(fate.equivalence)) return this.#limits.proofRuns !== undefined && fate.proof === undefined;
    if (fate.equivalence.kind !== 'unproven') return false;
    const { runs, seconds } = fate.proof ?? { runs: -1, seconds: 0 };
    return runs < (this.#limits.proofRuns ?? -1) || seconds < this.#limits.proofSeconds;
  }

  #take(known: LedgerSubject): void {
    this.#known = known;
    this.#untried = this.#mutants().filter(
      ({ mutant: { fate } }) =>
        fate === undefined || (fate.kind === 'unknown' && fate.seconds < this.#limits.mutantSeconds),
    );
  }

  #mutants(): readonly MutantTarget[] {
    return (this.#known?.kernels ?? []).flatMap(({ kernel, mutants }) => mutants.map((mutant) => ({ kernel, mutant })));
  }
}

function isUnchecked({ fate, contradicted }: LedgerMutant): boolean {
  return fate?.kind === 'killed' && fate.how !== ALL_RUNS && contradicted === undefined;
}

function idsOf({ kernels }: Listing): string {
  return JSON.stringify(kernels.map(({ kernel, mutants }) => [kernel, mutants.map(({ id }) => id)]));
}
