import { isNcclError } from '@nccl-ts/core';
import type { CheckReport } from '@nccl-ts/findings';
import { resolveSimOptions } from '@nccl-ts/backend-sim/internal';
import { exploreWorld } from '../exhaustive/explore-executions.ts';
import type { ExploreBound } from '../exhaustive/explore-bound.ts';
import type { CheckRequest } from './check-request.ts';

/**
 * Explores executions that the memory model allows, up to the bound or the time limit. Returns
 * `undefined` if the program uses something that the exploration does not support.
 */
export async function executions(request: CheckRequest, bound: ExploreBound): Promise<CheckReport | undefined> {
  const { options, program, news, deadline } = request;
  const { left } = deadline;
  const limits = left === undefined ? bound : { ...bound, milliseconds: Math.max(1, Math.ceil(left)) };
  try {
    const gin = { ...options.gin, delivery: 'random' } as const;
    const resolved = resolveSimOptions({ ...options, gin, mode: 'check' });
    const { report } = await exploreWorld(resolved, program, limits, {
      isOver: () => deadline.isOver,
      onFinding: (finding) => {
        news.report({ findings: [finding] });
        return undefined;
      },
    });
    return report;
  } catch (error) {
    if (isNcclError(error, 'NCCLTS_NOT_SUPPORTED')) return undefined;
    throw error;
  }
}
