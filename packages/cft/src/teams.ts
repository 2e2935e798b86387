import { team as teamType } from '@nccl-ts/devcomm';
import { deviceFn, type DeviceFn } from '@nccl-ts/kernel';
import type { Cft } from './cft-module.ts';

/** @see {@link Cft.team} */
export const team: DeviceFn<Cft['team']> = deviceFn(
  { name: 'cft.team', use: { Team: teamType } },
  ({ Team }, comm, mode) => {
    if (mode === undefined || mode === 'flat') {
      return Team({ nRanks: comm.cftSize, rank: comm.cftRank, stride: 1 });
    }
    const inner = mode === 'hierLsa' ? comm.lsaSize : comm.cftMultimemSize;
    return Team({ nRanks: comm.cftSize / inner, rank: comm.cftRank / inner, stride: inner });
  },
);

/** @see {@link Cft.teamMultimem} */
export const teamMultimem: DeviceFn<Cft['teamMultimem']> = deviceFn(
  { name: 'cft.teamMultimem', use: { Team: teamType } },
  ({ Team }, comm) => Team({ nRanks: comm.cftMultimemSize, rank: comm.cftMultimemRank, stride: 1 }),
);
