import type { SubjectOutcome, Survivor } from './outcome.ts';

/** Numbers of mutants. */
export interface Score {
  readonly mutants: number;
  readonly killed: number;
  /** Survivors that are shown to be no worse than their kernel. */
  readonly equivalent: number;
  /** The other survivors, and mutants whose runs did not end. */
  readonly unproven: number;
  /** Of those that are not shown to be equivalent, how many were killed. */
  readonly ratio: number;
}

export function isProven({ equivalence }: Survivor): boolean {
  return equivalence.kind !== 'unproven';
}

/** The score of some subjects together; those that are not clean to begin with have no mutants. */
export function scoreOf(outcomes: readonly SubjectOutcome[]): Score {
  const kernels = outcomes.flatMap((outcome) => outcome.kernels);
  const survivors = kernels.flatMap((kernel) => kernel.survivors);
  const mutants = kernels.reduce((sum, kernel) => sum + kernel.mutants, 0);
  const equivalent = survivors.filter(isProven).length;
  const unknown = kernels.reduce((sum, kernel) => sum + (kernel.unknown?.length ?? 0), 0);
  const killed = mutants - survivors.length - unknown;
  return {
    mutants,
    killed,
    equivalent,
    unproven: survivors.length - equivalent + unknown,
    ratio: mutants === equivalent ? 1 : killed / (mutants - equivalent),
  };
}
