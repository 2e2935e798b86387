import { ANY_THREADS } from '../backend-shape.ts';
import { resourceAt } from '../state/resource-at.ts';
import { shapeOn } from '../state/shape-on.ts';
import { chunkedAllReduce, chunkRequirement } from '../kernels/chunked-all-reduce.ts';
import { scaleRequirement } from '../kernels/rank-scales.ts';
import { defineAlgorithm, type AlgorithmSpec } from './algorithm-spec.ts';
import { firstObstacle, readsScales, withinDomain } from './obstacles.ts';

/**
 * Like `twoShot`, chunk by chunk: every rank stores the data that a peer reduces into that peer's
 * scratch memory. It takes one barrier for each chunk.
 */
export const chunked: AlgorithmSpec = /* @__PURE__ */ defineAlgorithm({
  makers: { allReduce: chunkedAllReduce },
  spansDomains: false,
  reusesScratch: true,
  inRankOrder: false,
  room: ({ chunks: { ctas } }) => ({ ctas, threads: ANY_THREADS }),
  scratch: async (comm) => {
    const { ctas, partBytes } = shapeOn(comm).chunks;
    const devComm = await comm.createDevComm({
      lsaBarrierCount: ctas,
      resourceRequirementsList: [chunkRequirement(comm.lsaSize, ctas, partBytes), scaleRequirement(ctas)],
    });
    const [chunks, scales] = [resourceAt(devComm, 0).bufHandle, resourceAt(devComm, 1).bufHandle];
    return { devComm, scratch: { chunks, scales } };
  },
  obstacle: firstObstacle(withinDomain, readsScales),
});
