import { llA2ACalcSlots, llA2ACreateRequirement } from '@nccl-ts/devcomm';
import { resourceAt } from '../state/resource-at.ts';
import { shapeOn } from '../state/shape-on.ts';
import { llAllGather, llAllToAll } from '../kernels/ll-copy.ts';
import { llAllReduce, llReduceScatter } from '../kernels/ll-reduce.ts';
import { defineAlgorithm, type AlgorithmSpec } from './algorithm-spec.ts';
import { firstObstacle, withinDomain, withoutScales } from './obstacles.ts';

/** Bytes that a thread sends with one flag. */
const LL_BYTES = 8;

/**
 * Every rank sends each peer everything that it needs, with flags beside the data. The receiver
 * reduces. No barrier is needed.
 */
export const ll: AlgorithmSpec = /* @__PURE__ */ defineAlgorithm({
  makers: { allReduce: llAllReduce, allGather: llAllGather, reduceScatter: llReduceScatter, allToAll: llAllToAll },
  spansDomains: false,
  reusesScratch: true,
  inRankOrder: false,
  room: ({ ll: room }) => room,
  // With flags, the latency of a turn dominates: use a single turn if the CTAs have room for it.
  bytesPerCta: (threads) => threads * LL_BYTES,
  scratch: async (comm) => {
    const { ctas, threads } = shapeOn(comm).ll;
    const slots = llA2ACreateRequirement(ctas, llA2ACalcSlots(comm.lsaSize * threads, LL_BYTES));
    const devComm = await comm.createDevComm({ resourceRequirementsList: [slots.requirement] });
    return { devComm, scratch: { slots: slots.handleOf(resourceAt(devComm, 0)) } };
  },
  obstacle: firstObstacle(withinDomain, withoutScales),
});
