import type { SubjectRecord } from './record.ts';
import type { SendJob } from './run-pieces.ts';
import type { Subject } from './subject.ts';

/** A check of an unchanged program from one seed. */
export interface CleanPiece {
  readonly subject: string;
  readonly seed: number;
}

/** A finding of the plain check in a correct program. */
export interface CleanFinding extends CleanPiece {
  /** `incomplete`, or the source of the finding. */
  readonly by: string;
  readonly said: string;
}

/** The results of the plain check for all correct programs: the file `results/clean-score.json`. */
export interface CleanScore {
  readonly programs: number;
  /** The number of kernels of these programs that have mutants. */
  readonly mutatedKernels: number;
  readonly seedsEach: number;
  /** The numbers of checks (programs times seeds) that were planned and that were made. */
  readonly planned: number;
  readonly checked: number;
  /** The programs that were not checked in time. */
  readonly left: number;
  /**
   * The number of checked programs for which one run represents all, so that the seed hardly
   * matters.
   */
  readonly proven: number;
  /** The number must be 0. */
  readonly findings: readonly CleanFinding[];
  readonly incomplete: readonly CleanFinding[];
  readonly checkSeconds: number;
  readonly slowest: readonly (CleanPiece & { readonly seconds: number })[];
}

/**
 * The default check uses this many consecutive seeds, so seeds at this distance share no schedule.
 */
const SEED_STEP = 15;

const SLOWEST = 10;

/** The programs that no campaign excluded. */
export function cleanPrograms(subjects: readonly Subject[], records: readonly SubjectRecord[]): readonly Subject[] {
  const unclean = new Set(records.filter((one) => one.unclean !== undefined).map(({ subject }) => subject));
  return subjects.filter(({ name }) => !unclean.has(name));
}

/**
 * All programs from the first seed, and then all from the second, so that results are balanced at
 * any time limit.
 */
export function cleanPieces(programs: readonly Subject[], seeds: number): readonly CleanPiece[] {
  return Array.from({ length: seeds }, (_, i) =>
    programs.map(({ name }) => ({ subject: name, seed: 1 + i * SEED_STEP })),
  ).flat();
}

/** Collects the reports of the plain check on clean programs. */
export class CleanTally {
  readonly #plan: Pick<CleanScore, 'programs' | 'mutatedKernels' | 'seedsEach' | 'planned'>;
  readonly #seconds: number;
  readonly #onFinding: (finding: CleanFinding) => void;
  readonly #findings: CleanFinding[] = [];
  readonly #incomplete: CleanFinding[] = [];
  #checked = 0;
  #proven = 0;
  #checkSeconds = 0;
  #slowest: CleanScore['slowest'] = [];

  constructor(
    plan: Pick<CleanScore, 'programs' | 'mutatedKernels' | 'seedsEach' | 'planned'>,
    seconds: number,
    onFinding: (finding: CleanFinding) => void,
  ) {
    this.#plan = plan;
    this.#seconds = seconds;
    this.#onFinding = onFinding;
  }

  async perform(piece: CleanPiece, ask: SendJob): Promise<void> {
    const began = performance.now();
    const answer = await ask({ kind: 'check-clean', ...piece }, this.#seconds);
    if (answer === undefined) return;
    const seconds = (performance.now() - began) / 1000;
    this.#checkSeconds += seconds;
    const timed = { ...piece, seconds: Math.round(seconds * 100) / 100 };
    this.#slowest = [...this.#slowest, timed].toSorted((a, b) => b.seconds - a.seconds).slice(0, SLOWEST);
    this.#checked++;
    if (answer.kind !== 'checked') {
      const said = answer.kind === 'lost' || answer.kind === 'failed' ? answer.why : `the answer was ${answer.kind}`;
      this.#incomplete.push({ ...piece, by: answer.kind, said });
      return;
    }
    const { verdict } = answer;
    if (verdict.kind === 'incomplete') this.#incomplete.push({ ...piece, by: 'incomplete', said: verdict.why });
    else if (verdict.kind === 'complaint') {
      const finding = { ...piece, by: verdict.by, said: verdict.said };
      this.#findings.push(finding);
      this.#onFinding(finding);
    } else if (verdict.isProven) this.#proven++;
  }

  get score(): CleanScore {
    return {
      ...this.#plan,
      checked: this.#checked,
      left: this.#plan.planned - this.#checked,
      proven: this.#proven,
      findings: [...this.#findings],
      incomplete: [...this.#incomplete],
      checkSeconds: Math.round(this.#checkSeconds),
      slowest: this.#slowest,
    };
  }
}
