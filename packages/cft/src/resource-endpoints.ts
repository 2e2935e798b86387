import { resourceBufferOffset, type DevComm } from '@nccl-ts/devcomm';
import { deviceFn, type DeviceFn } from '@nccl-ts/kernel';
import { leInfo, multimemLeInfo, peerLeInfo, type LogicalEndpoint } from './endpoints.ts';
import { team } from './teams.ts';

/**
 * `cft.resourceLeInfo(comm, bufHandle, peer)`: returns the endpoint of member `peer` of
 * `cft.team(comm)`, and the location in it of the resource buffer that `bufHandle` identifies.
 *
 * @see ncclGetResourceBufferCftLeInfo
 */
export const resourceLeInfo: DeviceFn<(comm: DevComm, bufHandle: number, peer: number) => LogicalEndpoint> = deviceFn(
  { name: 'cft.resourceLeInfo', use: { leInfo, resourceBufferOffset, team } },
  ({ leInfo, resourceBufferOffset, team }, comm: DevComm, bufHandle: number, peer: number) =>
    leInfo(comm.resourceWindow, resourceBufferOffset(bufHandle), peer, team(comm), comm),
);

/**
 * `cft.resourcePeerLeInfo(comm, bufHandle, peer)`: does the same for world rank `peer`.
 *
 * @see ncclGetResourceBufferPeerLeInfo
 */
export const resourcePeerLeInfo: DeviceFn<(comm: DevComm, bufHandle: number, peer: number) => LogicalEndpoint> =
  deviceFn(
    { name: 'cft.resourcePeerLeInfo', use: { peerLeInfo, resourceBufferOffset } },
    ({ peerLeInfo, resourceBufferOffset }, comm: DevComm, bufHandle: number, peer: number) =>
      peerLeInfo(comm.resourceWindow, resourceBufferOffset(bufHandle), peer, comm),
  );

/**
 * `cft.resourceMultimemLeInfo(comm, bufHandle)`: does the same for the multicast endpoint of the
 * calling rank's multicast group.
 *
 * @see ncclGetResourceBufferMultimemLeInfo
 */
export const resourceMultimemLeInfo: DeviceFn<(comm: DevComm, bufHandle: number) => LogicalEndpoint> = deviceFn(
  { name: 'cft.resourceMultimemLeInfo', use: { multimemLeInfo, resourceBufferOffset } },
  ({ multimemLeInfo, resourceBufferOffset }, comm: DevComm, bufHandle: number) =>
    multimemLeInfo(comm.resourceWindow, resourceBufferOffset(bufHandle), comm),
);
