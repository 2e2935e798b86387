import { createTopology, lsaSizeOfNodes, lsaTeamIndex, type Topology } from '@nccl-ts/topology';
import type { RankGroup } from '@nccl-ts/transport';

/**
 * A group of ranks of a world with that topology. Its load-store domains are as large as NCCL would have them: neighbours in
 * the group that are of one domain of the world count as a node.
 */
export function simGroup(world: Topology, members: readonly number[]): RankGroup {
  const counts: number[] = [];
  let domain: number | undefined;
  for (const rank of members) {
    const own = lsaTeamIndex(world, rank);
    if (own === domain) counts.push((counts.pop() ?? 0) + 1);
    else counts.push(1);
    domain = own;
  }
  const topology = createTopology({ ranks: members.length, lsaSize: lsaSizeOfNodes(counts) });
  return Object.freeze({ members: Object.freeze([...members]), topology });
}
