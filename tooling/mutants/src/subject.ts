import type { Backend } from '@nccl-ts/transport';

/** Ranks, and how many of them reach each other's memory. */
export interface Shape {
  readonly ranks: number;
  readonly lsaSize: number;
}

/** A host program on this many ranks. */
export interface Form {
  readonly shape: Shape;
  /**
   * Opens a world on `backend`, runs the same each time, closes it, and returns true if the result
   * is right. It may throw where it is not. `pause` is awaited by each rank's host between its
   * steps.
   */
  readonly run: (backend: Backend, pause: () => Promise<void>) => Promise<boolean>;
}

/** A host program with its kernels, whose synchronisations are taken away one by one. */
export interface Subject extends Form {
  readonly name: string;
  /**
   * The same kernels in another form; a mutant is killed if one form of the program reports an
   * error. The slowest ones come last.
   */
  readonly also?: readonly Form[];
  /**
   * The same on 2 ranks, with 2 CTAs of 2 threads, which is small enough to explore completely.
   * Absent: `run`.
   */
  readonly tiny?: Form;
}

/** The forms in which a program is tried. */
export function formsOf({ shape, run, also = [] }: Omit<Subject, 'name'>): readonly Form[] {
  return [{ shape, run }, ...also];
}
