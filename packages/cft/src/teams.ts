import type { DevComm } from '@nccl-ts/devcomm';
import { team as teamType } from '@nccl-ts/devcomm';
import { deviceFn, type DeviceFn } from '@nccl-ts/kernel';
import type { Team } from '@nccl-ts/topology';

/**
 * The members of a fabric team. `flat`: all ranks with endpoints. `hierMultimem`: those at the same
 * position in each multicast group. `hierLsa`: those at the same position in each load-store
 * domain.
 *
 * @see ncclCftTeamMode_t
 */
export type CftTeamMode = 'flat' | 'hierMultimem' | 'hierLsa';

/**
 * `cft.team(comm, mode?)`: returns the ranks that the calling rank reaches by logical endpoints.
 * The default mode is `flat`. The team is empty if the device communicator has no `cftCaps`.
 *
 * @see ncclTeamCft
 */
export const team: DeviceFn<(comm: DevComm, mode?: CftTeamMode) => Team> = deviceFn(
  { name: 'cft.team', use: { Team: teamType } },
  ({ Team }, comm: DevComm, mode?: CftTeamMode) => {
    if (mode === undefined || mode === 'flat') {
      return Team({ nRanks: comm.cftSize, rank: comm.cftRank, stride: 1 });
    }
    const inner = mode === 'hierLsa' ? comm.lsaSize : comm.cftMultimemSize;
    return Team({ nRanks: comm.cftSize / inner, rank: comm.cftRank / inner, stride: inner });
  },
);

/**
 * `cft.teamMultimem(comm)`: returns the ranks that a multicast write of the calling rank reaches,
 * including itself. The team is empty unless the device communicator has `cftCaps: 'cftMultimem'`.
 *
 * @see ncclTeamCftMultimem
 */
export const teamMultimem: DeviceFn<(comm: DevComm) => Team> = deviceFn(
  { name: 'cft.teamMultimem', use: { Team: teamType } },
  ({ Team }, comm: DevComm) => Team({ nRanks: comm.cftMultimemSize, rank: comm.cftMultimemRank, stride: 1 }),
);
