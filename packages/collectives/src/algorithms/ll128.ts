import { WARP_SIZE } from '@nccl-ts/core';
import { BLOCK_BYTES, ll128Requirement } from '../fifo/ll128.ts';
import { ll128AllGather, ll128AllToAll } from '../kernels/ll128-copy.ts';
import { ll128AllReduce, ll128ReduceScatter } from '../kernels/ll128-reduce.ts';
import { resourceAt } from '../state/resource-at.ts';
import { shapeOn } from '../state/shape-on.ts';
import { defineAlgorithm, type AlgorithmSpec } from './algorithm-spec.ts';
import { firstObstacle, withinDomain, withoutScales } from './obstacles.ts';

/**
 * Like `ll`, but a flag covers 120 bytes. 8 lanes of a warp store a line of 128 bytes by one
 * instruction, and its last 8 bytes are the flag. It relies on lines that arrive whole, as NVLink
 * delivers them. No memory model promises that.
 */
export const ll128: AlgorithmSpec = /* @__PURE__ */ defineAlgorithm({
  makers: {
    allReduce: ll128AllReduce,
    allGather: ll128AllGather,
    reduceScatter: ll128ReduceScatter,
    allToAll: ll128AllToAll,
  },
  spansDomains: false,
  needsNvlink: true,
  reusesScratch: true,
  inRankOrder: false,
  room: ({ ll128: { ctas, threads } }) => ({ ctas, threads }),
  // Each block has its own warp while there are enough CTAs.
  bytesPerCta: (threads) => (threads / WARP_SIZE) * BLOCK_BYTES,
  scratch: async (comm) => {
    const requirement = ll128Requirement(shapeOn(comm).ll128, comm.lsaSize);
    const devComm = await comm.createDevComm({ resourceRequirementsList: [requirement] });
    return { devComm, scratch: { lines: resourceAt(devComm, 0).bufHandle } };
  },
  obstacle: firstObstacle(withinDomain, withoutScales),
});
