import { groupTopology, type Topology } from '@nccl-ts/topology';
import type { RankGroup } from '@nccl-ts/transport';

/** Returns a group of ranks of a world with that topology. */
export function simGroup(world: Topology, members: readonly number[]): RankGroup {
  return Object.freeze({ members: Object.freeze([...members]), topology: groupTopology(world, members) });
}
