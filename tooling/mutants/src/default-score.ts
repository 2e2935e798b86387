import type { JobResponse } from './job.ts';
import { hashOfIds } from './record.ts';
import type { SamplePiece } from './default-sample.ts';
import type { SendJob } from './run-pieces.ts';

/** A mutant by name, and why it is listed. */
export interface NamedMutant {
  readonly subject: string;
  readonly kernel: string;
  readonly id: string;
  readonly why?: string;
}

/**
 * The fraction of the recorded killed mutants that the plain check kills, which is the file
 * `results/default-score.json`.
 */
export interface DefaultScore {
  readonly sample: { readonly of: number; readonly size: number; readonly seed: number };
  readonly tried: number;
  readonly killed: number;
  /**
   * The verdicts of the report, `wrong-result` if only the program itself reports an error, and
   * codes of errors.
   */
  readonly killedBy: Readonly<Record<string, number>>;
  /** The check reports `clean`, with no finding or only notes. */
  readonly notKilled: readonly NamedMutant[];
  /**
   * The check reports `clean` with a warning, because GPUs order the mutant's accesses but the
   * memory model does not. These mutants are not killed.
   */
  readonly warned: readonly NamedMutant[];
  /** The check reports `incomplete`, or had no result in time. */
  readonly incomplete: readonly NamedMutant[];
  /** The record does not match these mutants, or the program could not be opened. */
  readonly lost: readonly NamedMutant[];
  /** The mutants of the sample that were not checked in time. */
  readonly left: number;
  /** The total time for all mutants, in seconds of one process. */
  readonly checkSeconds: number;
  /** The same for opening programs. */
  readonly openSeconds: number;
  readonly slowest: readonly (NamedMutant & { readonly seconds: number })[];
}

export interface ScoreLimits {
  readonly subjectSeconds: number;
  readonly mutantSeconds: number;
}

const SLOWEST = 10;

/** Collects the reports of the plain check on a sample. */
export class DefaultTally {
  readonly #sample: DefaultScore['sample'];
  readonly #limits: ScoreLimits;
  readonly #killedBy = new Map<string, number>();
  readonly #notKilled: NamedMutant[] = [];
  readonly #warned: NamedMutant[] = [];
  readonly #incomplete: NamedMutant[] = [];
  readonly #lost: NamedMutant[] = [];
  #slowest: DefaultScore['slowest'] = [];
  #killed = 0;
  #checkSeconds = 0;
  #openSeconds = 0;

  constructor(sample: DefaultScore['sample'], limits: ScoreLimits) {
    this.#sample = sample;
    this.#limits = limits;
  }

  /** Checks the mutants of a piece. Ends early if the campaign is over. */
  async perform({ subject, kernels, mutants }: SamplePiece, ask: SendJob): Promise<void> {
    for (const { kernel, ids, index } of mutants) {
      const opening = performance.now();
      const opened = await ask({ kind: 'open', subject, kernels }, this.#limits.subjectSeconds);
      this.#openSeconds += secondsSince(opening);
      if (opened === undefined) return;
      const listed = opened.kind === 'opened' ? opened.listing.kernels.find((one) => one.kernel === kernel) : undefined;
      const id = listed?.mutants[index]?.id;
      if (listed === undefined || id === undefined || hashOfIds(listed.mutants) !== ids) {
        this.#lost.push({ subject, kernel, id: id ?? `#${index}`, why: whyOf(opened) ?? 'its mutants have changed' });
        continue;
      }
      const began = performance.now();
      const answer = await ask({ kind: 'check', subject, kernel, id }, this.#limits.mutantSeconds);
      if (answer === undefined) return;
      this.#take({ subject, kernel, id }, answer, secondsSince(began));
    }
  }

  get score(): DefaultScore {
    const tried = this.#killed + this.#notKilled.length + this.#warned.length + this.#incomplete.length;
    return {
      sample: this.#sample,
      tried,
      killed: this.#killed,
      killedBy: Object.fromEntries([...this.#killedBy].toSorted(([a], [b]) => (a < b ? -1 : 1))),
      notKilled: [...this.#notKilled],
      warned: [...this.#warned],
      incomplete: [...this.#incomplete],
      lost: [...this.#lost],
      left: this.#sample.size - tried - this.#lost.length,
      checkSeconds: Math.round(this.#checkSeconds),
      openSeconds: Math.round(this.#openSeconds),
      slowest: this.#slowest,
    };
  }

  #take(mutant: NamedMutant, answer: NonNullable<Awaited<ReturnType<SendJob>>>, seconds: number): void {
    this.#checkSeconds += seconds;
    const timed = { ...mutant, seconds: Math.round(seconds * 100) / 100 };
    this.#slowest = [...this.#slowest, timed].toSorted((a, b) => b.seconds - a.seconds).slice(0, SLOWEST);
    if (answer.kind !== 'checked') {
      const why = whyOf(answer) ?? `the answer was ${answer.kind}`;
      (answer.kind === 'lost' ? this.#incomplete : this.#lost).push({ ...mutant, why });
      return;
    }
    const { verdict } = answer;
    if (verdict.kind === 'clean' && verdict.warning !== undefined) {
      this.#warned.push({ ...mutant, why: verdict.warning });
    } else if (verdict.kind === 'clean') {
      this.#notKilled.push({ ...mutant, why: verdict.isProven ? 'reported as clean in all schedules' : 'clean' });
    } else if (verdict.kind === 'incomplete') this.#incomplete.push({ ...mutant, why: verdict.why });
    // A disagreement of engines is an error of the checker, and not a kill.
    else if (verdict.by === 'NCCL_INTERNAL_ERROR') this.#incomplete.push({ ...mutant, why: verdict.said });
    else {
      this.#killed++;
      this.#killedBy.set(verdict.by, (this.#killedBy.get(verdict.by) ?? 0) + 1);
    }
  }
}

function whyOf(answer: JobResponse | { readonly kind: 'lost'; readonly why: string }): string | undefined {
  return answer.kind === 'lost' || answer.kind === 'failed' ? answer.why : undefined;
}

function secondsSince(began: number): number {
  return (performance.now() - began) / 1000;
}
