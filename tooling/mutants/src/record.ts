import { createHash } from 'node:crypto';
import type { RankShape } from './subject.ts';
import type { Complaint } from './trial.ts';

/**
 * The result for a mutant, as one letter of a record:
 *
 * - `k`: killed in a trial. `a`: killed only when all runs were explored.
 * - `g`: no worse than its kernel, proven by the graph engine, which explored all executions of the
 *   memory model. `m`: changes less than such a mutant.
 * - `e`: no worse because PTX has one fence for these orders, or because the CTAs have one warp.
 * - `o`: no worse according to the checker alone, because one run with counted waits represents all
 *   runs. `l`: changes less than such a mutant.
 * - `s`: no worse, but only in a program with less than two ranks with two CTAs of two threads.
 * - `u`: survived, without any proof. `t`: its runs did not end.
 * - `-`: the program never runs the changed code. `.`: it was not tried.
 */
export type Letter = 'k' | 'a' | 'g' | 'm' | 'e' | 'o' | 'l' | 's' | 'u' | 't' | '-' | '.';

const letters: readonly string[] = ['k', 'a', 'g', 'm', 'e', 'o', 'l', 's', 'u', 't', '-', '.'] satisfies Letter[];

/** The results for the mutants of one kernel of a program. */
export interface KernelRecord {
  readonly kernel: string;
  /** The hash of the identities of the mutants. It changes if the mutants change. */
  readonly ids: string;
  /** A letter for each mutant, in the order of the listing. */
  readonly verdicts: string;
  /**
   * The number of killed mutants by cause: verdicts of the checker, `wrong-result`, codes of
   * errors.
   */
  readonly killedBy: Readonly<Record<string, number>>;
  /**
   * The changes that gave no valid module, and those that are equal to the kernel or an earlier
   * mutant.
   */
  readonly rejected: number;
  readonly repeated: number;
}

/** The results of a campaign for a program. */
export interface SubjectRecord {
  readonly subject: string;
  readonly shape: RankShape;
  /** The reason why it was excluded: the unchanged program is not clean. */
  readonly unclean?: Complaint;
  readonly kernels: readonly KernelRecord[];
}

/** @throws RangeError if it contains anything other than a letter. */
export function lettersOf({ kernel, verdicts }: KernelRecord): readonly Letter[] {
  return Array.from(verdicts).map((one) => {
    if (!isLetter(one)) throw new RangeError(`Cannot read the record of ${kernel} because ${one} is not a verdict.`);
    return one;
  });
}

function isLetter(value: string): value is Letter {
  return letters.includes(value);
}

/** The result of only the trials for a mutant, or `undefined` if there is none. */
export function inTrials(letter: Letter): 'killed' | 'survived' | 'unreached' | undefined {
  switch (letter) {
    case 'k':
      return 'killed';
    case '-':
      return 'unreached';
    case 't':
    case '.':
      return undefined;
    case 'a':
    case 'g':
    case 'm':
    case 'e':
    case 'o':
    case 'l':
    case 's':
    case 'u':
      return 'survived';
  }
}

/** The hash of a list of mutants. */
export function hashOfIds(mutants: readonly { readonly id: string }[]): string {
  return createHash('sha256')
    .update(mutants.map(({ id }) => `${id}\n`).join(''))
    .digest('hex')
    .slice(0, 12);
}
