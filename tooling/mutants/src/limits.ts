/** What a campaign spends at most. */
export interface Limits {
  /** On a program as it is. */
  readonly subjectSeconds: number;
  /** On one mutant. */
  readonly mutantSeconds: number;
  /** On a proof; no runs: none is tried. */
  readonly proofRuns: number;
  readonly proofSeconds: number;
}
