import type { Topology } from '@nccl-ts/topology';
import type { RankGroup } from '@nccl-ts/transport';

/** Returns all ranks of a world as a group, with the same numbers. */
export function wholeWorld(topology: Topology): RankGroup {
  const members = Array.from({ length: topology.nRanks }, (_, rank) => rank);
  return Object.freeze({ members: Object.freeze(members), topology });
}
