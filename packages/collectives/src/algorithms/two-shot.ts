import { ANY_THREADS } from '../backend-shape.ts';
import { pushBroadcast } from '../kernels/push-broadcast.ts';
import { pushReduce } from '../kernels/push-reduce.ts';
import { twoShotAllReduce } from '../kernels/two-shot-all-reduce.ts';
import { defineAlgorithm, type AlgorithmSpec } from './algorithm-spec.ts';
import { firstObstacle, readsScales, withinDomain } from './obstacles.ts';

/**
 * The ranks share the elements. Each rank reduces its share and stores the result to all, between
 * two barriers.
 */
export const twoShot: AlgorithmSpec = /* @__PURE__ */ defineAlgorithm({
  makers: { allReduce: twoShotAllReduce, broadcast: pushBroadcast, reduce: pushReduce },
  spansDomains: false,
  reusesScratch: false,
  inRankOrder: true,
  room: ({ barriers }) => ({ ctas: barriers, threads: ANY_THREADS }),
  scratch: async (_comm, { devComm, scales }) => ({ devComm, scratch: { scales } }),
  obstacle: firstObstacle(withinDomain, readsScales),
});
