import { groupTopology, type Topology } from '@nccl-ts/topology';
import type { RankGroup } from '@nccl-ts/transport';

/** All ranks of a world, with their world ranks. */
export function wholeGroup(world: Topology): RankGroup {
  return Object.freeze({
    members: Object.freeze(Array.from({ length: world.nRanks }, (_, rank) => rank)),
    topology: world,
  });
}

/**
 * Returns a group of some of the ranks. A domain of the group lies within a domain of the world, so
 * its ranks are on one device if those are.
 */
export function someGroup(world: Topology, members: readonly number[]): RankGroup {
  return Object.freeze({ members: Object.freeze([...members]), topology: groupTopology(world, members) });
}
