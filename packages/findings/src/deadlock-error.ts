import { NcclError } from '@nccl-ts/core';
import type { DeadlockReport } from './deadlock-report.ts';
import { renderDeadlock } from './render-deadlock.ts';

/**
 * Thrown when no kernel can continue, and no host program can change that. `report` has the waits
 * and the missing ranks, and the message is the same as text. `cause` is the failure of the first
 * missing rank that failed.
 */
export class DeadlockError extends NcclError {
  readonly #report: DeadlockReport;
  /**
   * The lines that kernels on the stuck streams printed and that no `synchronize` has reported.
   * They are ordered by stream, with lower ranks first, and then by arrival. No later call reports
   * them.
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
