import { createTopology, lsaSizeOfNodes, lsaTeamIndex, type Topology } from './topology.ts';

/**
 * The load-store domains of some ranks of a world, by their ranks in a group. They are as large as
 * NCCL's would be: neighbours in the group that share a domain of the world count as a node. Two
 * ranks of a domain of the group always share a domain of the world.
 *
 * @throws NcclError `NCCL_INVALID_ARGUMENT` if there are no members, or a member is not a rank of
 *   the world.
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
