import { ANY_THREADS } from '../backend-shape.ts';
import { pullReduceScatter } from '../kernels/pull-reduce-scatter.ts';
import { pullScatter } from '../kernels/pull-scatter.ts';
import { pushAllGather } from '../kernels/push-all-gather.ts';
import { pushAllToAll } from '../kernels/push-all-to-all.ts';
import { pushGather } from '../kernels/push-gather.ts';
import { defineAlgorithm, type AlgorithmSpec } from './algorithm-spec.ts';
import { firstObstacle, readsScales, withinDomain } from './obstacles.ts';

/**
 * One load or store moves every element from its source to its destination, between two barriers.
 */
export const direct: AlgorithmSpec = /* @__PURE__ */ defineAlgorithm({
  makers: {
    allGather: pushAllGather,
    reduceScatter: pullReduceScatter,
    allToAll: pushAllToAll,
    gather: pushGather,
    scatter: pullScatter,
  },
  spansDomains: false,
  reusesScratch: false,
  inRankOrder: true,
  room: ({ barriers }) => ({ ctas: barriers, threads: ANY_THREADS }),
  scratch: async (_comm, { devComm, scales }) => ({ devComm, scratch: { scales } }),
  obstacle: firstObstacle(withinDomain, readsScales),
});
