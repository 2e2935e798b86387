import { renderReport, renderVerdict } from '@nccl-ts/findings';
import { checkTarget, type AnyCheckOptions } from './check-target.ts';

/** A matcher's result for vitest. */
export interface MatcherResult {
  readonly pass: boolean;
  readonly message: () => string;
}

/** Passes if no error is found. With `isNot`, vitest inverts the result. */
export async function toBeRaceFree(isNot: boolean, target: unknown, options: AnyCheckOptions): Promise<MatcherResult> {
  const report = await checkTarget(target, options);
  if (report.verdict === 'incomplete') {
    return undecided(isNot, `expected to be race-free or not:\n\n${renderReport(report)}`);
  }
  const isClean = report.verdict === 'clean';
  return {
    pass: isClean,
    message: () =>
      isClean
        ? `expected not to be race-free, but the check found no error\n\n${renderVerdict(report)}`
        : `expected to be race-free\n\n${renderReport(report)}`,
  };
}

/** A result that fails with and without `.not`. */
export function undecided(isNot: boolean, message: string): MatcherResult {
  return { pass: isNot, message: () => message };
}
