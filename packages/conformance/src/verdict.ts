import type { ErrorCode } from '@nccl-ts/core';

/**
 * The outcome of a run of a case. No other outcome exists: a case that does not run is
 * `unsupported`, with a reason.
 */
export type Verdict = 'pass' | 'fail' | 'expected-failure' | 'unsupported';

export const verdicts: readonly Verdict[] = Object.freeze(['pass', 'fail', 'expected-failure', 'unsupported']);

/**
 * The reason of a failure. It is the code of an `NcclError`, or one of these words. `mismatch`:
 * wrong values. `timeout`: the case did not end. `error`: another error was thrown.
 * `unexpected-pass`: a failure was expected. `not-refused`: the backend accepted a feature that it
 * declares as missing.
 */
export type FailureCode = ErrorCode | 'mismatch' | 'timeout' | 'error' | 'unexpected-pass' | 'not-refused';

/**
 * The variant of a run. `plain` is the default. A case with barriers also runs over `sub-team`s. In
 * a `recorded` run the backend is wrapped in an object that forwards and records every call.
 */
export type Variant = 'plain' | 'sub-team' | 'recorded';

/** The result of one case, in one shape and variant. JSON-serialisable. */
export interface CaseVerdict {
  readonly case: string;
  readonly ranks: number;
  readonly lsaSize: number;
  readonly variant: Variant;
  readonly verdict: Verdict;
  /** The details of an expected or unexpected failure. */
  readonly code?: FailureCode;
  /** The reason of the failure, or the feature that the backend lacks. */
  readonly reason?: string;
  /** For expected failures: the issue that tracks them. */
  readonly link?: string;
  readonly milliseconds: number;
}
