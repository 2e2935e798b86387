/** A location to search. */
export interface Candidate {
  readonly home: string;
  /** Why it is searched: an option, an environment variable, or a usual location. */
  readonly from: string;
}

/** A location that was searched without success. */
export interface FailedSearch {
  readonly path: string;
  /** Why it was searched. */
  readonly from: string;
  /** The problem that was found there. */
  readonly problem: string;
}

/** Formats the locations as lines of a message. */
export function attemptsText(attempts: readonly FailedSearch[]): string {
  return attempts.map(({ path, from, problem }) => `  ${path} (${from}): ${problem}`).join('\n');
}
