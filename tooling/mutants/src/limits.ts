/** The limits of a campaign. */
export interface Limits {
  /** The limit for an unchanged program. */
  readonly subjectSeconds: number;
  /** The limit for one mutant. */
  readonly mutantSeconds: number;
  /**
   * The limit for a proof: the number of runs of a tiny form, in addition to one run of each form
   * that may represent all runs. If absent, no proof is tried.
   */
  readonly proofRuns?: number | undefined;
  readonly proofSeconds: number;
  /**
   * True to also check one run of a killed mutant. If the checker claims that it represents all
   * runs, the checker is wrong.
   */
  readonly crossCheck: boolean;
}
