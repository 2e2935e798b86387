import type { CheckReport } from './check-report.ts';
import { findingKinds } from './finding-kinds.ts';

/**
 * The exit code of a checking program: 0 clean, 1 an error was found, 3 a bound was reached. (2 is
 * for wrong usage.)
 */
export function exitCodeOf({ verdict }: Pick<CheckReport, 'verdict'>): 0 | 1 | 3 {
  // A verdict that is not clean has the name of a kind of finding.
  return verdict === 'clean' ? 0 : findingKinds[verdict].exitCode;
}
