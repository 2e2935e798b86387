import type { MutationOperator } from '@nccl-ts/mutation';
import type { Shape } from './subject.ts';
import type { Complaint } from './trial.ts';

/** Why a mutant that nothing complained of is no worse than its kernel, or whether it is. */
export type Equivalence =
  /** PTX has one fence for `acquire`, `release` and `acq_rel`. */
  | { readonly kind: 'same fence' }
  /** Its CTAs have one warp, so that a meeting of each warp is one of the CTA. */
  | { readonly kind: 'one warp' }
  | Exhaustive
  /** As the mutant `of`, which does all that this one does and more, and was gone through at this size. */
  | { readonly kind: 'less than'; readonly of: string; readonly size: ProvenSize }
  | { readonly kind: 'unproven'; readonly why: string };

/** Everything that can happen was gone through at this size, and nothing complained. */
export interface Exhaustive {
  readonly kind: 'exhaustive';
  readonly size: ProvenSize;
  readonly schedules: number;
}

/** Ranks and how many of them reach each other's memory, CTAs of a grid and threads of a CTA. */
export interface ProvenSize extends Shape {
  readonly ctas: number;
  readonly threads: number;
}

/** Whether a program of this size shows something of larger ones: two ranks with two CTAs of two threads, at least. */
export function isLarge({ ranks, ctas, threads }: ProvenSize): boolean {
  return ranks >= 2 && ctas >= 2 && threads >= 2;
}

/** What going through everything that can happen showed: that a mutant is no worse, or, by what is said, that it is. */
export type Proof = Equivalence | { readonly kind: 'wrong'; readonly by: string };

/** A mutant that nothing complained of. */
export interface Survivor {
  readonly id: string;
  readonly operator: MutationOperator;
  readonly does: string;
  readonly equivalence: Equivalence;
}

/** A mutant whose runs did not end in the time that they had. */
export interface UnknownMutant {
  readonly id: string;
  readonly why: string;
}

/** What became of the mutants of one kernel in one subject. */
export interface KernelOutcome {
  readonly kernel: string;
  readonly mutants: number;
  /** How many died of what: verdicts of the checker, `wrong-result`, codes of errors. */
  readonly killedBy: Readonly<Record<string, number>>;
  readonly survivors: readonly Survivor[];
  /** Absent: none. */
  readonly unknown?: readonly UnknownMutant[];
  /** Those that died in no trial, but where everything that can happen was gone through. Absent: none. */
  readonly inAllRunsAlone?: readonly string[];
  /** Mutants of what the program never runs; not counted among the others. */
  readonly unreached: number;
  /** Changes that gave no valid module, and those that run as the kernel or an earlier mutant. */
  readonly rejected: number;
  readonly repeated: number;
}

export interface SubjectOutcome {
  readonly subject: string;
  readonly shape: Shape;
  /** Why it was left out: it is not clean to begin with. */
  readonly unclean?: Complaint;
  readonly kernels: readonly KernelOutcome[];
}
