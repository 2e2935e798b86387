import type { Team } from './team.ts';
import type { RankCoordinates } from './topology.ts';

/**
 * True if member `bPeer` of `b` is also in `a`. Both teams must be views of the same rank, which is
 * in both.
 *
 * @see ncclTeamRankIsMember
 */
export function teamRankIsMember(a: Team, b: Team, bPeer: number): boolean {
  const distance = (bPeer - b.rank) * b.stride;
  const index = a.rank + Math.trunc(distance / a.stride);
  return index >= 0 && index < a.nRanks && distance % a.stride === 0;
}

/**
 * The index in `a` of member `bPeer` of `b`. The result is meaningless if that rank is not in `a`.
 * Both teams must be views of the same rank, which is in both.
 *
 * @see ncclTeamRankToTeam
 */
export function teamRankToTeam(a: Team, b: Team, bPeer: number): number {
  return a.rank + Math.trunc(((bPeer - b.rank) * b.stride) / a.stride);
}

/**
 * The world rank of the team's member `peer`. `coordinates` is the position of the rank whose view
 * the team is. `peer` is not checked against the team's size.
 *
 * @see ncclTeamRankToWorld
 */
export function teamRankToWorld(coordinates: Pick<RankCoordinates, 'rank'>, team: Team, peer: number): number {
  return coordinates.rank + (peer - team.rank) * team.stride;
}

/**
 * The LSA rank of the team's member `peer`. `coordinates` is the position of the rank whose view
 * the team is. The result is outside 0 to `lsaSize` - 1 if that member is in another load-store
 * domain.
 *
 * @see ncclTeamRankToLsa
 */
export function teamRankToLsa(coordinates: Pick<RankCoordinates, 'lsaRank'>, team: Team, peer: number): number {
  return coordinates.lsaRank + (peer - team.rank) * team.stride;
}

/**
 * The index in `parent` of member number `index` among those that are not in `subset`. Every member
 * of `subset` must be in `parent`. `index` must be below the difference of their sizes.
 *
 * @see ncclTeamRankInDifference
 */
export function teamRankInDifference(parent: Team, subset: Team, index: number): number {
  // In the parent's indices, the subset is every `step`-th rank from `first` on, so `step` - 1
  // others are between neighbours.
  const signedStep = Math.trunc(subset.stride / parent.stride);
  const step = Math.abs(signedStep);
  const gaps = subset.nRanks - 1;
  const first = parent.rank - subset.rank * signedStep - (signedStep < 0 ? gaps * step : 0);
  if (index < first) return index;
  const past = index - first;
  const between = gaps * (step - 1);
  if (past >= between) return first + 1 + gaps * step + (past - between);
  return first + 1 + Math.trunc(past / (step - 1)) * step + (past % (step - 1));
}
