import { NcclError } from '@nccl-ts/core';
import type { DeadlockReport } from './deadlock-report.ts';
import { renderDeadlock } from './render-deadlock.ts';

/**
 * No kernel can go on, and no host program can change that. `report` says who waits where, for
 * what, and which ranks are missing; the message is the same as text. `cause` is the failure of the
 * first missing rank that failed.
 */
export class DeadlockError extends NcclError {
  readonly #report: DeadlockReport;
  /**
   * Lines that kernels on the streams that are stuck had printed: stream by stream, those of a
   * lower rank first, in the order they came, and those only that no `synchronize` has reported.
   * None will report them again.
   */
  readonly printed: readonly string[];

  constructor(report: DeadlockReport, printed: readonly string[]) {
    const failed = report.missing.find((missing) => missing.failure !== undefined);
    super('NCCLTS_DEADLOCK', renderDeadlock(report), {
      details: { ...report },
      ...(failed === undefined ? {} : { cause: failed.failure }),
    });
    this.#report = report;
    this.printed = Object.freeze([...printed]);
  }

  get report(): DeadlockReport {
    return this.#report;
  }
}
