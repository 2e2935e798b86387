import { ANY_THREADS } from '../backend-shape.ts';
import { oneShotAllReduce } from '../kernels/one-shot-all-reduce.ts';
import { defineAlgorithm, type AlgorithmSpec } from './algorithm-spec.ts';
import { firstObstacle, readsScales, withinDomain } from './obstacles.ts';

/** Every rank loads all elements and reduces them itself, between two barriers. */
export const oneShot: AlgorithmSpec = /* @__PURE__ */ defineAlgorithm({
  makers: { allReduce: oneShotAllReduce },
  spansDomains: false,
  reusesScratch: false,
  inRankOrder: false,
  room: ({ barriers }) => ({ ctas: barriers, threads: ANY_THREADS }),
  scratch: async (_comm, { devComm, scales }) => ({ devComm, scratch: { scales } }),
  obstacle: firstObstacle(
    withinDomain,
    ({ inPlace }) => (inPlace ? 'in place, other ranks would read data that is being written' : undefined),
    readsScales,
  ),
});
