import { resourceBufferOffset } from '@nccl-ts/devcomm';
import { deviceFn, type DeviceFn } from '@nccl-ts/kernel';
import { leInfo, multimemLeInfo, peerLeInfo } from './endpoints.ts';
import { team } from './teams.ts';
import type { Cft } from './cft-module.ts';

/** @see {@link Cft.resourceLeInfo} */
export const resourceLeInfo: DeviceFn<Cft['resourceLeInfo']> = deviceFn(
  { name: 'cft.resourceLeInfo', use: { leInfo, resourceBufferOffset, team } },
  ({ leInfo, resourceBufferOffset, team }, comm, bufHandle, peer) =>
    leInfo(comm.resourceWindow, resourceBufferOffset(bufHandle), peer, team(comm), comm),
);

/** @see {@link Cft.resourcePeerLeInfo} */
export const resourcePeerLeInfo: DeviceFn<Cft['resourcePeerLeInfo']> = deviceFn(
  { name: 'cft.resourcePeerLeInfo', use: { peerLeInfo, resourceBufferOffset } },
  ({ peerLeInfo, resourceBufferOffset }, comm, bufHandle, peer) =>
    peerLeInfo(comm.resourceWindow, resourceBufferOffset(bufHandle), peer, comm),
);

/** @see {@link Cft.resourceMultimemLeInfo} */
export const resourceMultimemLeInfo: DeviceFn<Cft['resourceMultimemLeInfo']> = deviceFn(
  { name: 'cft.resourceMultimemLeInfo', use: { multimemLeInfo, resourceBufferOffset } },
  ({ multimemLeInfo, resourceBufferOffset }, comm, bufHandle) =>
    multimemLeInfo(comm.resourceWindow, resourceBufferOffset(bufHandle), comm),
);
