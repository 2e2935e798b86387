import { NcclError } from '@nccl-ts/core';
import type { CheckReport } from './check-report.ts';
import { rankCountsOf } from './checked-scope.ts';
import { deepFreeze } from './deep-freeze.ts';
import { exitCodeOf } from './exit-code-of.ts';

/** The bound of a check in which nothing happened between ranks. */
const NOTHING_BETWEEN_RANKS =
  'no rank touched the memory of another and no wait was reached, so that nothing between ranks was checked; ' +
  'if each rank is to work alone, say local: true (--local on the command line)';

/** How a check ends. */
export interface CheckEnd {
  /** True if the ranks are meant to work alone. */
  readonly isLocal: boolean;
  /** True if the check was stopped, so that later launches were not seen. */
  readonly isCut: boolean;
}

/**
 * Returns the final report of a check. If several ranks ran and nothing happened between them, its
 * verdict is `incomplete`, unless that was said to be so. A report with an error stays as it is.
 *
 * @throws NcclError `NCCLTS_NO_LAUNCH` if the program launched no kernel and has no error.
 */
export function concludeCheck(report: CheckReport, { isLocal, isCut }: CheckEnd): CheckReport {
  if (exitCodeOf(report) === 1) return report;
  const { scope, verdict } = report;
  if (scope.launches.length === 0) {
    if (isCut) return report;
    throw noLaunch();
  }
  const isAlone = rankCountsOf(scope).every((ranks) => ranks === 1);
  if (verdict !== 'clean' || isLocal || isAlone || scope.communicates) return report;
  return deepFreeze({ ...report, verdict: 'incomplete', proves: { kind: 'nothing', bound: NOTHING_BETWEEN_RANKS } });
}

/** The error of a check of a program that launches nothing. */
export function noLaunch(): NcclError {
  return new NcclError(
    'NCCLTS_NO_LAUNCH',
    'cannot check the program because it launched no kernel; launch one on each rank with comm.launch.',
  );
}
