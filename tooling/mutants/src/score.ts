import { isLarge, type SubjectOutcome, type Survivor } from './outcome.ts';

/** Numbers of mutants. */
export interface Score {
  readonly mutants: number;
  readonly killed: number;
  /** Survivors that are shown to be no worse than their kernel. */
  readonly equivalent: number;
  /** Survivors that are shown to be that in programs that are smaller than two ranks with two CTAs of two threads. */
  readonly small: number;
  /** The other survivors, and mutants whose runs did not end. */
  readonly unproven: number;
  /** Of those that are not shown to be equivalent, how many were killed; those in small programs count as not shown. */
  readonly ratio: number;
}

/** How far a survivor is shown to be no worse than its kernel. */
export function standingOf({ equivalence }: Survivor): 'equivalent' | 'small' | 'unproven' {
  switch (equivalence.kind) {
    case 'same fence':
    case 'one warp':
      return 'equivalent';
    case 'exhaustive':
    case 'less than':
      return isLarge(equivalence.size) ? 'equivalent' : 'small';
    case 'unproven':
      return 'unproven';
  }
}

/** The score of some subjects together; those that are not clean to begin with have no mutants. */
export function scoreOf(outcomes: readonly SubjectOutcome[]): Score {
  const kernels = outcomes.flatMap((outcome) => outcome.kernels);
  const survivors = kernels.flatMap((kernel) => kernel.survivors);
  const mutants = kernels.reduce((sum, kernel) => sum + kernel.mutants, 0);
  const count = (standing: ReturnType<typeof standingOf>): number =>
    survivors.filter((one) => standingOf(one) === standing).length;
  const equivalent = count('equivalent');
  const unknown = kernels.reduce((sum, kernel) => sum + (kernel.unknown?.length ?? 0), 0);
  const killed = mutants - survivors.length - unknown;
  return {
    mutants,
    killed,
    equivalent,
    small: count('small'),
    unproven: count('unproven') + unknown,
    ratio: mutants === equivalent ? 1 : killed / (mutants - equivalent),
  };
}
