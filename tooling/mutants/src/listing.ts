import type { MutationOperator } from '@nccl-ts/mutation';
import type { RankShape } from './subject.ts';
import type { Complaint } from './trial.ts';

export interface ListedMutant {
  readonly id: string;
  readonly operator: MutationOperator;
  readonly does: string;
}

/** A kernel that has mutants. */
export interface ListedKernel<M extends ListedMutant = ListedMutant> {
  readonly kernel: string;
  readonly mutants: readonly M[];
  /**
   * The changes that gave no valid module, and those that are equal to the kernel or an earlier
   * mutant.
   */
  readonly rejected: number;
  readonly repeated: number;
}

/** The kernels of a program with their mutants, or the reason why it is excluded. */
export interface Listing<M extends ListedMutant = ListedMutant> {
  readonly subject: string;
  readonly shape: RankShape;
  readonly unclean?: Complaint;
  readonly kernels: readonly ListedKernel<M>[];
}
