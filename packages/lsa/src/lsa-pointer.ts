import { devComm, team, window } from '@nccl-ts/devcomm';
import { addr, i32, intrinsic, typeParam, windowPointer, type DeviceFn } from '@nccl-ts/kernel';
import type { Lsa } from './lsa-module.ts';

/** @see {@link Lsa.pointer} */
export const pointer: DeviceFn<Lsa['pointer']> = intrinsic(
  {
    name: 'lsa.pointer',
    pure: true,
    use: { windowPointer },
    params: { win: window, type: typeParam, offset: addr, peer: i32 },
  },
  ({ windowPointer }, { win, type, offset, peer }) => windowPointer(win, type, offset, peer),
);

/** @see {@link Lsa.peerPointer} */
export const peerPointer: DeviceFn<Lsa['peerPointer']> = intrinsic(
  {
    name: 'lsa.peerPointer',
    pure: true,
    use: { windowPointer },
    params: { win: window, type: typeParam, offset: addr, peer: i32 },
  },
  ({ windowPointer }, { win, type, offset, peer }) =>
    windowPointer(win, type, offset, win.lsaRank + (peer - win.worldRank)),
);

/** @see {@link Lsa.canGetPeerPointer} */
export const canGetPeerPointer: DeviceFn<Lsa['canGetPeerPointer']> = intrinsic(
  { name: 'lsa.canGetPeerPointer', pure: true, params: { comm: devComm, peer: i32 } },
  (_context, { comm, peer }) => {
    const first = comm.rank - comm.lsaRank;
    return peer >= first && peer < first + comm.lsaSize;
  },
);

/** @see {@link Lsa.teamPointer} */
export const teamPointer: DeviceFn<Lsa['teamPointer']> = intrinsic(
  {
    name: 'lsa.teamPointer',
    pure: true,
    use: { windowPointer },
    params: { win: window, type: typeParam, offset: addr, team, peer: i32 },
  },
  ({ windowPointer }, { win, type, offset, team: of, peer }) =>
    windowPointer(win, type, offset, win.lsaRank + (peer - of.rank) * of.stride),
);

/** @see {@link Lsa.localPointer} */
export const localPointer: DeviceFn<Lsa['localPointer']> = intrinsic(
  {
    name: 'lsa.localPointer',
    pure: true,
    use: { windowPointer },
    params: { win: window, type: typeParam, offset: addr },
  },
  ({ windowPointer }, { win, type, offset }) => windowPointer(win, type, offset, win.lsaRank),
);
