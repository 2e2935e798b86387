import { NcclError } from '@nccl-ts/core';
import type { DevCommPlan } from './plan-dev-comm.ts';
import type { ResourceSupport } from './resource-support.ts';

/**
 * Checks the list of a rank whose GIN only reaches its rail.
 *
 * @throws NcclError `NCCL_INVALID_ARGUMENT` if it has a rank of another rail.
 */
export function checkGinRail(plan: DevCommPlan, rank: number, { gin }: ResourceSupport): void {
  if (gin !== 'rail' || plan.ginConnection !== 'customArray') return;
  const { lsaSize } = plan.topology;
  const other = plan.requirements.ginCustomArray?.find((peer) => peer % lsaSize !== rank % lsaSize);
  if (other === undefined) return;
  throw new NcclError(
    'NCCL_INVALID_ARGUMENT',
    `Cannot create a device communicator: ginCustomArray of rank ${rank} asks for GIN to rank ${other}, on another rail; these ranks reach only their rail. ` +
      `List ranks whose distance is a multiple of ${lsaSize}.`,
    { details: { rank, peer: other, supported: gin } },
  );
}

/**
 * Returns the plan of all ranks, in their order: that of rank 0, and for `customArray` the pairs of
 * ranks that list each other.
 */
export function joinPlans(plans: readonly DevCommPlan[]): DevCommPlan {
  const [first] = plans;
  if (first === undefined) throw new RangeError('A device communicator has no ranks.');
  if (first.ginConnection !== 'customArray') return first;
  const lists = plans.map(({ requirements }) => requirements.ginCustomArray ?? []);
  const ginPeers = lists.map((list, rank) =>
    Object.freeze(list.filter((peer) => lists[peer]?.includes(rank)).toSorted((a, b) => a - b)),
  );
  return Object.freeze({ ...first, ginPeers: Object.freeze(ginPeers) });
}
