import { createTopology, lsaSizeOfNodes, lsaTeamIndex, type Topology } from './topology.ts';

/**
 * How some ranks of a world, by their rank in a group of their own, lie in load-store domains.
 * These are as large as NCCL would have them: neighbours in the group that are of one domain of the
 * world count as a node. Two ranks of a domain of the group are always of one domain of the world.
 *
 * @throws NcclError `NCCL_INVALID_ARGUMENT` where there are no members, or one is no rank of the
 *   world.
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
