import type { ScalarKind } from '@nccl-ts/core';
import { ANY_THREADS } from '../backend-shape.ts';
import { SENTINEL_CTAS, sentinelRequirement } from '../fifo/sentinel.ts';
import { resourceAt } from '../state/resource-at.ts';
import { sentinelAllReduce } from '../kernels/sentinel-all-reduce.ts';
import { defineAlgorithm, type AlgorithmSpec } from './algorithm-spec.ts';
import { firstObstacle, withinDomain, withoutScales } from './obstacles.ts';

/** Types that have NaNs to spare, in words of 4 bytes. */
const elements: readonly ScalarKind[] = ['f32', 'f16', 'bf16'];

/**
 * As `ll` for floats of 16 and 32 bits, without flags: a NaN that no data are stands for a word
 * that has not come.
 */
export const sentinel: AlgorithmSpec = /* @__PURE__ */ defineAlgorithm({
  makers: { allReduce: sentinelAllReduce },
  spansDomains: false,
  reusesScratch: true,
  inRankOrder: false,
  room: () => ({ ctas: SENTINEL_CTAS, threads: ANY_THREADS }),
  scratch: async (comm) => {
    const devComm = await comm.createDevComm({ resourceRequirementsList: [sentinelRequirement(comm.lsaSize)] });
    return { devComm, places: { buffers: resourceAt(devComm, 0).bufHandle } };
  },
  obstacle: firstObstacle(
    withinDomain,
    ({ element }) => (elements.includes(element) ? undefined : `every ${element} is a separate value`),
    withoutScales,
  ),
});
