/** A place to look at. */
export interface Candidate {
  readonly home: string;
  /** What led there: an option, an environment variable, a usual place. */
  readonly from: string;
}

/** A place that was looked at and did not do. */
export interface Attempt {
  readonly path: string;
  /** What led there. */
  readonly from: string;
  /** What is wrong with it. */
  readonly problem: string;
}

/** The places as lines of a message. */
export function attemptsText(attempts: readonly Attempt[]): string {
  return attempts.map(({ path, from, problem }) => `  ${path} (${from}): ${problem}`).join('\n');
}
