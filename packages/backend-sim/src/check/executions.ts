import { isNcclError, NcclError } from '@nccl-ts/core';
import type { CheckReport } from '@nccl-ts/findings';
import { explore } from '../explore.ts';
import type { CheckRequest } from './check-request.ts';

/** Goes through at most so many executions of the memory model; `undefined` where the program does what no exploration supports. */
export async function executions(request: CheckRequest, runs: number): Promise<CheckReport | undefined> {
  const { options, program, news } = request;
  try {
    const { report } = await explore({ ...options, mode: 'check' }, program, { runs });
    if (report === undefined) throw new NcclError('NCCL_INTERNAL_ERROR', 'An exploration with a check had no report.');
    news.tell(report);
    return report;
  } catch (error) {
    if (isNcclError(error, 'NCCLTS_NOT_SUPPORTED')) return undefined;
    throw error;
  }
}
