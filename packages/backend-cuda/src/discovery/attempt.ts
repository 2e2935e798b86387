/** A location to search. */
export interface Candidate {
  readonly home: string;
  /** The reason for it: an option, an environment variable, a usual location. */
  readonly from: string;
}

/** A location that was searched without success. */
export interface Attempt {
  readonly path: string;
  /** The reason for it. */
  readonly from: string;
  /** Its problem. */
  readonly problem: string;
}

/** The locations as lines of a message. */
export function attemptsText(attempts: readonly Attempt[]): string {
  return attempts.map(({ path, from, problem }) => `  ${path} (${from}): ${problem}`).join('\n');
}
