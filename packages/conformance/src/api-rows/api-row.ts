import type { CaseId } from '../all-cases.ts';

/** Packages whose rows get their cases when they come. */
export type PlannedPackage = 'barrier' | 'multimem' | 'reduce-copy';

/** The reason why a row has no case. */
export type Open = { readonly planned: PlannedPackage } | { readonly because: string };

/** An error that NCCL's documentation or source describes, and does not check. */
export interface ApiTrap {
  /** The mistake of an author. */
  readonly trap: string;
  /** The cases that show the described behaviour; with none, `open` says why. */
  readonly cases: readonly CaseId[];
  readonly open?: Open;
}

/** One thing that NCCL's device API offers, and the cases that hold every backend to it. */
export interface ApiRow {
  /** The part of the API and the name of the thing: `1.2/teamRankIsMember`. */
  readonly id: string;
  readonly nccl: string;
  /** The name here. */
  readonly here: string;
  readonly cases: readonly CaseId[];
  /** The reason, if it has no cases. */
  readonly open?: Open;
  readonly traps?: readonly ApiTrap[];
}
