import type { ReleaseScope } from '@nccl-ts/codegen';
import type { CostModel } from '../cost-model.ts';

/** The least time of a fence, alone or beside fences of other warps of its CTA. */
export function leastFenceTime(cost: CostModel, scope: ReleaseScope, isBesideOthers: boolean): number {
  const { fenceTime, ctaFenceTime, deviceFenceTime, deviceCtaFenceTime } = cost;
  if (scope === 'system') return isBesideOthers ? ctaFenceTime : fenceTime;
  return isBesideOthers ? deviceCtaFenceTime : deviceFenceTime;
}
