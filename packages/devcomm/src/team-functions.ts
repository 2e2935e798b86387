import { deviceFn, intrinsic, i32, type DeviceFn } from '@nccl-ts/kernel';
import type { Team } from '@nccl-ts/topology';
import { devCommParam, type KernelDevComm } from './dev-comm.ts';
import { team } from './team.ts';

/** Returns the team of all ranks. @see ncclTeamWorld */
export const teamWorld: DeviceFn<(comm: KernelDevComm) => Team> = deviceFn(
  { name: 'teamWorld', use: { Team: team } },
  ({ Team }, comm) => Team({ nRanks: comm.nRanks, rank: comm.rank, stride: 1 }),
);

/** Returns the team of the ranks that can load and store each other's memory. @see ncclTeamLsa */
export const teamLsa: DeviceFn<(comm: KernelDevComm) => Team> = deviceFn(
  { name: 'teamLsa', use: { Team: team } },
  ({ Team }, comm) => Team({ nRanks: comm.lsaSize, rank: comm.lsaRank, stride: 1 }),
);

/** Returns the team of the ranks with the same LSA rank in their domains. @see ncclTeamRail */
export const teamRail: DeviceFn<(comm: KernelDevComm) => Team> = deviceFn(
  { name: 'teamRail', use: { Team: team } },
  ({ Team }, comm) =>
    Team({ nRanks: comm.nRanks / comm.lsaSize, rank: comm.rank / comm.lsaSize, stride: comm.lsaSize }),
);

/**
 * True if the member `bPeer` of `b` is in `a` too. Both teams must be seen from the same rank,
 * which is in both.
 *
 * @see ncclTeamRankIsMember
 */
export const teamRankIsMember: DeviceFn<(a: Team, b: Team, bPeer: number) => boolean> = intrinsic(
  { name: 'teamRankIsMember', pure: true, params: { a: team, b: team, bPeer: i32 } },
  (_context, { a, b, bPeer }) => {
    const distance = (bPeer - b.rank) * b.stride;
    const index = a.rank + distance / a.stride;
    return index >= 0 && index < a.nRanks && distance % a.stride === 0;
  },
);

/**
 * Returns the index in `a` of the member `bPeer` of `b`. If that rank is not in `a`, the result is
 * meaningless and may be the index of another member; check with `teamRankIsMember`.
 *
 * @see ncclTeamRankToTeam
 */
export const teamRankToTeam: DeviceFn<(a: Team, b: Team, bPeer: number) => number> = intrinsic(
  { name: 'teamRankToTeam', pure: true, params: { a: team, b: team, bPeer: i32 } },
  (_context, { a, b, bPeer }) => a.rank + ((bPeer - b.rank) * b.stride) / a.stride,
);

/** Returns the world rank of the team's member `peer`. Not checked. @see ncclTeamRankToWorld */
export const teamRankToWorld: DeviceFn<(comm: KernelDevComm, team: Team, peer: number) => number> = intrinsic(
  { name: 'teamRankToWorld', pure: true, params: { comm: devCommParam, team, peer: i32 } },
  (_context, { comm, team: of, peer }) => comm.rank + (peer - of.rank) * of.stride,
);

/**
 * Returns the LSA rank of the team's member `peer`. The result is outside 0 to `lsaSize` - 1 if the
 * member is in another domain.
 *
 * @see ncclTeamRankToLsa
 */
export const teamRankToLsa: DeviceFn<(comm: KernelDevComm, team: Team, peer: number) => number> = intrinsic(
  { name: 'teamRankToLsa', pure: true, params: { comm: devCommParam, team, peer: i32 } },
  (_context, { comm, team: of, peer }) => comm.lsaRank + (peer - of.rank) * of.stride,
);

/**
 * Returns the calling rank's block of `innerSize` neighbours in `parent`. `innerSize` must divide
 * the team; only the simulator checks that.
 *
 * @see ncclTeamInnerFactor
 */
export const teamInnerFactor: DeviceFn<(parent: Team, innerSize: number) => Team> = deviceFn(
  { name: 'teamInnerFactor', use: { Team: team } },
  ({ Team, requires }, parent, innerSize) => {
    requires(
      innerSize > 0 && parent.nRanks % innerSize === 0,
      'innerSize {} does not divide a team of {} ranks: pass a positive size that does',
      innerSize,
      parent.nRanks,
    );
    return Team({ nRanks: innerSize, rank: parent.rank % innerSize, stride: parent.stride });
  },
);

/**
 * Returns the ranks at the calling rank's position in each block of `innerSize`. `innerSize` must
 * divide the team; only the simulator checks that.
 *
 * @see ncclTeamOuterFactor
 */
export const teamOuterFactor: DeviceFn<(parent: Team, innerSize: number) => Team> = deviceFn(
  { name: 'teamOuterFactor', use: { Team: team } },
  ({ Team, requires }, parent, innerSize) => {
    requires(
      innerSize > 0 && parent.nRanks % innerSize === 0,
      'innerSize {} does not divide a team of {} ranks: pass a positive size that does',
      innerSize,
      parent.nRanks,
    );
    return Team({
      nRanks: parent.nRanks / innerSize,
      rank: parent.rank / innerSize,
      stride: parent.stride * innerSize,
    });
  },
);

/**
 * Returns the index in `parent` of its member number `index` among those that are not in `subset`,
 * which must be part of `parent`.
 *
 * @see ncclTeamRankInDifference
 */
export const teamRankInDifference: DeviceFn<(parent: Team, subset: Team, index: number) => number> = intrinsic(
  { name: 'teamRankInDifference', params: { parent: team, subset: team, index: i32 } },
  ({ abs }, { parent, subset, index }) => {
    const signedStep = subset.stride / parent.stride;
    const step = abs(signedStep);
    const gaps = subset.nRanks - 1;
    const first = parent.rank - subset.rank * signedStep - (signedStep < 0 ? gaps * step : 0);
    if (index < first) return index;
    const past = index - first;
    const between = gaps * (step - 1);
    if (past >= between) return first + 1 + gaps * step + (past - between);
    return first + 1 + (past / (step - 1)) * step + (past % (step - 1));
  },
);
