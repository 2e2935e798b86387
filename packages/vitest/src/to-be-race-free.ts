import { renderReport, renderVerdict } from '@nccl-ts/findings';
import { checkTarget, type AnyCheckOptions } from './check-target.ts';

/** What a matcher answers to vitest. */
export interface MatcherResult {
  readonly pass: boolean;
  readonly message: () => string;
}

/** True if nothing is found that is wrong; with `isNot`, vitest turns the answer round. */
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
        ? `expected not to be race-free, and found nothing\n\n${renderVerdict(report)}`
        : `expected to be race-free\n\n${renderReport(report)}`,
  };
}

/** What fails whether it is negated or not. */
export function undecided(isNot: boolean, message: string): MatcherResult {
  return { pass: isNot, message: () => message };
}
