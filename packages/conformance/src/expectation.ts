import type { CaseId } from './all-cases.ts';
import type { FailureCode, Variant } from './verdict.ts';
import type { WorldShape } from './world-shape.ts';

/** The runs of a case in which a failure is expected. An omitted field matches all runs. */
export interface When {
  readonly ranks?: readonly number[];
  readonly lsaSize?: readonly number[];
  readonly variant?: readonly Variant[];
}

/**
 * A failure that is known and accepted for now. If the case passes, or fails with another code, the
 * run fails. So you notice a fix, and a second bug behind the first.
 */
export interface Expectation {
  readonly case: CaseId;
  readonly when: When;
  readonly code: FailureCode;
  /** The reason, in a sentence. */
  readonly reason: string;
  /** The issue that tracks it. */
  readonly link: string;
}

/** True if an expectation applies to this run. */
export function applies(expectation: Expectation, id: string, shape: WorldShape, variant: Variant): boolean {
  const { when } = expectation;
  return (
    expectation.case === id &&
    (when.ranks?.includes(shape.ranks) ?? true) &&
    (when.lsaSize?.includes(shape.lsaSize) ?? true) &&
    (when.variant?.includes(variant) ?? true)
  );
}
