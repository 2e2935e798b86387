import { NcclError, type ErrorCode } from '@nccl-ts/core';
import type { FaultReport } from './fault-report.ts';
import type { FaultKind } from './fault.ts';
import { renderFault } from './render-fault.ts';

const codes: Readonly<Record<FaultKind, ErrorCode>> = {
  outOfBounds: 'NCCLTS_OUT_OF_BOUNDS',
  misaligned: 'NCCLTS_MISALIGNED',
  divideByZero: 'NCCLTS_FAULT',
  overflow: 'NCCLTS_FAULT',
  assert: 'NCCLTS_FAULT',
  misuse: 'NCCLTS_MISUSE',
  addressRange: 'NCCLTS_FAULT',
  lane: 'NCCLTS_FAULT',
  fuel: 'NCCLTS_INCOMPLETE',
};

/**
 * A thread caused a fault. `report` has the thread, the source location and the fault, and the
 * message is the same as text.
 */
export class FaultError extends NcclError {
  readonly #report: FaultReport;
  /**
   * The lines that kernels on the launch's stream printed, including the faulting one, and that no
   * `synchronize` has reported. They are in order of arrival. No later call reports them.
   */
  readonly printed: readonly string[];

  constructor(report: FaultReport, printed: readonly string[]) {
    super(codes[report.kind], renderFault(report), { details: { ...report } });
    this.#report = report;
    this.printed = Object.freeze([...printed]);
  }

  get report(): FaultReport {
    return this.#report;
  }
}
