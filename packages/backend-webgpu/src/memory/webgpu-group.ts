import { groupTopology, type Topology } from '@nccl-ts/topology';
import type { RankGroup } from '@nccl-ts/transport';

/** All ranks of a world, as they are numbered there. */
export function wholeGroup(world: Topology): RankGroup {
  return Object.freeze({
    members: Object.freeze(Array.from({ length: world.nRanks }, (_, rank) => rank)),
    topology: world,
  });
}

/**
 * Some of them. A domain of the group lies in one of the world's, so that its ranks are on one
 * device where those are.
 */
export function someGroup(world: Topology, members: readonly number[]): RankGroup {
  return Object.freeze({ members: Object.freeze([...members]), topology: groupTopology(world, members) });
}
