import { i32, structParam, type StructParam } from '@nccl-ts/kernel';
import type { Team } from '@nccl-ts/topology';

/**
 * The parameter type for a team. In `use`, it creates one: `Team({ nRanks, rank, stride })`.
 *
 * @see ncclTeam
 */
export const team: StructParam<Team, Team> = structParam({
  struct: 'Team',
  fields: { nRanks: i32, rank: i32, stride: i32 },
});
