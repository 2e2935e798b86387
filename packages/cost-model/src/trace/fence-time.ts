import type { ReleaseScope } from '@nccl-ts/codegen';
import { valueAt, type CostModel } from '../cost-model.ts';

/**
 * The least time of a fence, alone or beside fences of other warps of its CTA, if so many CTAs
 * fence.
 */
export function leastFenceTime(cost: CostModel, scope: ReleaseScope, isBesideOthers: boolean, ctas: number): number {
  const { fenceTime, ctaFenceTime, fenceByCtas, ctaFenceByCtas, deviceFenceTime, deviceCtaFenceTime } = cost;
  if (scope !== 'system') return isBesideOthers ? deviceCtaFenceTime : deviceFenceTime;
  return isBesideOthers ? ctaFenceTime + valueAt(ctaFenceByCtas, ctas, 0) : fenceTime + valueAt(fenceByCtas, ctas, 0);
}
