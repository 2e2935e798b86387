import type { Backend } from '@nccl-ts/transport';

/** The number of ranks, and how many of them reach each other's memory. */
export interface RankShape {
  readonly ranks: number;
  readonly lsaSize: number;
}

/** A host program on this many ranks. */
export interface SubjectForm {
  readonly shape: RankShape;
  /**
   * Opens a world on `backend`, runs the same each time, closes it, and returns true if the result
   * is right. It may throw if the result is wrong. Each rank's host awaits `pause` between its
   * steps.
   */
  readonly run: (backend: Backend, pause: () => Promise<void>) => Promise<boolean>;
}

/** A host program with its kernels. The campaign removes their synchronisations one by one. */
export interface Subject extends SubjectForm {
  readonly name: string;
  /**
   * Other forms of the program with the same kernels. A mutant is killed if one form reports an
   * error. The slowest forms come last.
   */
  readonly also?: readonly SubjectForm[];
  /**
   * The same on 2 ranks with 2 CTAs of 2 threads, which is small enough to explore completely.
   * @default `run`
   */
  readonly tiny?: SubjectForm;
}

/** The forms in which a program is tried. */
export function formsOf({ shape, run, also = [] }: Omit<Subject, 'name'>): readonly SubjectForm[] {
  return [{ shape, run }, ...also];
}
