import { defineAlgorithm, type AlgorithmSpec } from '../../src/algorithms/algorithm-spec.ts';
import { firstObstacle, readsScales, withinDomain } from '../../src/algorithms/obstacles.ts';
import { resourceAt } from '../../src/state/resource-at.ts';
import { pushBroadcast } from '../../src/kernels/push-broadcast.ts';
import { scaleRequirement } from '../../src/kernels/rank-scales.ts';

/** Broadcast by one CTA between two ranks: a whole algorithm in one file. */
export const trivial: AlgorithmSpec = defineAlgorithm({
  makers: { broadcast: pushBroadcast },
  spansDomains: false,
  reusesScratch: false,
  inRankOrder: false,
  room: () => ({ ctas: 1, threads: 32 }),
  scratch: async (comm) => {
    const devComm = await comm.createDevComm({ lsaBarrierCount: 1, resourceRequirementsList: [scaleRequirement(1)] });
    return { devComm, scratch: { scales: resourceAt(devComm, 0).bufHandle } };
  },
  obstacle: firstObstacle(
    withinDomain,
    ({ nRanks }) => (nRanks === 2 ? undefined : 'it is for two ranks'),
    readsScales,
  ),
});
