import type { CheckReport } from './check-report.ts';
import { findingKinds } from './finding-kinds.ts';

/**
 * The exit code of a checking program: 0 for clean, 1 for an error, 3 if a limit was reached. (2 is
 * for wrong usage.)
 */
export function exitCodeOf({ verdict }: Pick<CheckReport, 'verdict'>): 0 | 1 | 3 {
  // A verdict other than `clean` is the name of a kind of finding.
  return verdict === 'clean' ? 0 : findingKinds[verdict].exitCode;
}
