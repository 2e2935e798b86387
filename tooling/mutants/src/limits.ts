/** The limits of a campaign. */
export interface Limits {
  /** On a program as it is. */
  readonly subjectSeconds: number;
  /** On one mutant. */
  readonly mutantSeconds: number;
  /**
   * On a proof: runs of a tiny form, in addition to one run of each form that may represent all
   * runs. Absent: none is tried.
   */
  readonly proofRuns?: number | undefined;
  readonly proofSeconds: number;
  /**
   * True if one run of a killed mutant is also checked: if that run is said to represent all, the
   * checker is wrong.
   */
  readonly crossCheck: boolean;
}
