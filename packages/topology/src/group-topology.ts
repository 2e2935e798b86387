import { createTopology, lsaSizeOfNodes, lsaTeamIndex, type Topology } from './topology.ts';

/**
 * Finds the load-store domains of a group of world ranks. As in NCCL, neighbours in the group that
 * share a domain of the world count as a node. Two ranks of a domain of the group always share a
 * domain of the world.
 *
 * @throws NcclError `NCCL_INVALID_ARGUMENT` if there are no members, or if a member is not a rank
 * of the world.
 */
export function groupTopology(world: Topology, members: readonly number[]): Topology {
  const counts: number[] = [];
  let domain: number | undefined;
  for (const rank of members) {
    const own = lsaTeamIndex(world, rank);
    if (own === domain) counts.push((counts.pop() ?? 0) + 1);
    else counts.push(1);
    domain = own;
  }
  return createTopology({ ranks: members.length, lsaSize: lsaSizeOfNodes(counts) });
}
