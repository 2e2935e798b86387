import type { Verdict } from './finding-kinds.ts';
import type { Proof } from './proof.ts';

/** The result of a check with one number of ranks, among several numbers. */
export type RanksOutcome =
  | { readonly ranks: number; readonly verdict: Verdict; readonly proves: Proof; readonly accesses: number }
  /** The program cannot run with this number of ranks. */
  | { readonly ranks: number; readonly why: string };
