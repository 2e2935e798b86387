import { renderReport, type Finding, type FindingKind, type MissingKind } from '@nccl-ts/findings';
import { checkTarget, type AnyCheckOptions } from './check-target.ts';
import { undecided, type MatcherResult } from './to-be-race-free.ts';

/** A pattern for a finding. Missing fields match anything. */
export interface FindingPattern {
  readonly kind: FindingKind;
  /** A synchronization that is missing, not necessarily the first one listed. */
  readonly missing?: MissingKind;
  /**
   * Pieces of the lines at which it happens, in any order. Each must be in the line of a different
   * label.
   */
  readonly lines?: readonly string[];
}

/** Passes if one of the findings matches the pattern. With `isNot`, vitest inverts the result. */
export async function toHaveFinding(
  isNot: boolean,
  target: unknown,
  pattern: FindingPattern,
  options: AnyCheckOptions,
): Promise<MatcherResult> {
  const report = await checkTarget(target, options);
  const found = report.findings.some((finding) => isMeant(finding, pattern));
  const text = `${JSON.stringify(pattern)}\n\n${renderReport(report)}`;
  if (!found && report.verdict === 'incomplete') {
    return undecided(isNot, `expected to have a finding or not: ${text}`);
  }
  return { pass: found, message: () => `expected ${found ? 'not ' : ''}to have a finding ${text}` };
}

function isMeant({ kind, missing, labels }: Finding, pattern: FindingPattern): boolean {
  if (kind !== pattern.kind) return false;
  if (pattern.missing !== undefined && !missing.some((one) => one.kind === pattern.missing)) return false;
  return areIn(
    pattern.lines ?? [],
    labels.flatMap(({ place: location }) => outermostText(location)),
  );
}

type LabelLocation = Finding['labels'][number]['place'];

/** Returns the author's line that led there. */
function outermostText(location: LabelLocation): readonly string[] {
  if (location === undefined) return [];
  return location.inlinedAt === undefined || location.isOwn === true
    ? [location.quote.text]
    : outermostText(location.inlinedAt);
}

/** True if each piece is in a different line. */
function areIn([piece, ...rest]: readonly string[], lines: readonly string[]): boolean {
  if (piece === undefined) return true;
  return lines.some((line, i) => line.includes(piece) && areIn(rest, lines.toSpliced(i, 1)));
}
