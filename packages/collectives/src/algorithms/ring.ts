import { ANY_THREADS } from '../backend-shape.ts';
import { stepFifoRequirement } from '../fifo/step-fifo.ts';
import { resourceAt } from '../state/resource-at.ts';
import { shapeOn } from '../state/shape-on.ts';
import { ringAllGather } from '../kernels/ring-all-gather.ts';
import { ringAllReduce } from '../kernels/ring-all-reduce.ts';
import { ringBroadcast } from '../kernels/ring-broadcast.ts';
import { ringReduceScatter } from '../kernels/ring-reduce-scatter.ts';
import { defineAlgorithm, type AlgorithmSpec } from './algorithm-spec.ts';
import { firstObstacle, readsScales, withinDomain } from './obstacles.ts';

/** Parts travel around a ring of ranks, and each rank reduces them. */
export const ring: AlgorithmSpec = /* @__PURE__ */ defineAlgorithm({
  makers: {
    allReduce: ringAllReduce,
    broadcast: ringBroadcast,
    allGather: ringAllGather,
    reduceScatter: ringReduceScatter,
  },
  spansDomains: false,
  reusesScratch: true,
  inRankOrder: false,
  room: ({ ring: { ctas } }) => ({ ctas, threads: ANY_THREADS }),
  scratch: async (comm) => {
    const { ctas, slotBytes } = shapeOn(comm).ring;
    const devComm = await comm.createDevComm({ resourceRequirementsList: [stepFifoRequirement(ctas, slotBytes)] });
    return { devComm, scratch: { fifo: resourceAt(devComm, 0).bufHandle } };
  },
  obstacle: firstObstacle(
    withinDomain,
    ({ nRanks }) => (nRanks === 1 ? 'a ring needs two ranks or more' : undefined),
    readsScales,
  ),
});
