/** The limits of a campaign. */
export interface Limits {
  /** On a program as it is. */
  readonly subjectSeconds: number;
  /** On one mutant. */
  readonly mutantSeconds: number;
  /**
   * On a proof: runs of a tiny form, beside one run of each form that may stand for all. Absent:
   * none is tried.
   */
  readonly proofRuns?: number | undefined;
  readonly proofSeconds: number;
  /**
   * True if one run of a mutant that was killed is looked at too: where it stands for all, the
   * checker is wrong.
   */
  readonly crossCheck: boolean;
}
