import type { CaseId } from '../all-cases.ts';

/** The packages whose rows get cases later. */
export type PlannedPackage = 'barrier' | 'multimem' | 'reduce-copy';

/** The reason why a row has no case. */
export type Open = { readonly planned: PlannedPackage } | { readonly because: string };

/** An error that NCCL's documentation or source describes but does not check. */
export interface ApiTrap {
  /** The author's mistake. */
  readonly trap: string;
  /** The cases that show the described behaviour. If there are none, `open` says why. */
  readonly cases: readonly CaseId[];
  readonly open?: Open;
}

/** A feature of NCCL's device API, and the cases that every backend must pass for it. */
export interface ApiRow {
  /** The part of the API and the name of the feature: `1.2/teamRankIsMember`. */
  readonly id: string;
  readonly nccl: string;
  /** The name in this library. */
  readonly here: string;
  readonly cases: readonly CaseId[];
  /** The reason, if it has no cases. */
  readonly open?: Open;
  readonly traps?: readonly ApiTrap[];
}
