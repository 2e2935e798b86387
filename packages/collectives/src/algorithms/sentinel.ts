import type { ScalarKind } from '@nccl-ts/core';
import { SENTINEL_BYTES, sentinelRequirement } from '../fifo/sentinel.ts';
import { resourceAt } from '../state/resource-at.ts';
import { shapeOn } from '../state/shape-on.ts';
import { sentinelAllReduce } from '../kernels/sentinel-all-reduce.ts';
import { defineAlgorithm, type AlgorithmSpec } from './algorithm-spec.ts';
import { firstObstacle, withinDomain, withoutScales } from './obstacles.ts';

/** The element types that have a spare NaN, in words of 4 bytes. */
const elements: readonly ScalarKind[] = ['f32', 'f16', 'bf16'];

/**
 * Like `ll` for floats of 16 and 32 bits, but 16 bytes at a time and without flags. A reserved NaN
 * marks a word that has not arrived.
 */
export const sentinel: AlgorithmSpec = /* @__PURE__ */ defineAlgorithm({
  makers: { allReduce: sentinelAllReduce },
  spansDomains: false,
  reusesScratch: true,
  inRankOrder: false,
  room: ({ sentinel: { ctas, threads } }) => ({ ctas, threads }),
  // Each word has its own thread while there are enough CTAs.
  bytesPerCta: (threads) => threads * SENTINEL_BYTES,
  scratch: async (comm) => {
    const requirement = sentinelRequirement(shapeOn(comm).sentinel, comm.lsaSize);
    const devComm = await comm.createDevComm({ resourceRequirementsList: [requirement] });
    return { devComm, scratch: { words: resourceAt(devComm, 0).bufHandle } };
  },
  obstacle: firstObstacle(
    withinDomain,
    ({ element }) => (elements.includes(element) ? undefined : `every ${element} is a separate value`),
    withoutScales,
  ),
});
