import { expectInteger } from '@nccl-ts/core';
import type { MultimemHandle } from '@nccl-ts/devcomm';
import { rankCoordinates } from '@nccl-ts/topology';
import { ResolvedPointer, type DevicePointer } from './device-pointer.ts';
import { notSupported } from '../errors.ts';
import { checkOffset, windowOf } from './own-window.ts';
import type { RegisteredWindow, HostWindow } from './window.ts';

/**
 * Returns the address of byte `offset` in this rank's own memory of the window.
 *
 * @throws NcclError `NCCLTS_CLOSED` after the window's deregistration.
 * @see ncclWinGetUserPtr
 */
export function winGetUserPtr(window: HostWindow): DevicePointer {
  const what = 'winGetUserPtr';
  const own = windowOf(window, what);
  const pointer = resolve(own, own.rank, 0);
  if (pointer === null) throw notSupported(`${what}: the backend has no host-visible addresses of its memory.`);
  return pointer;
}

/**
 * Returns the address of byte `offset` in the window's memory at rank `lsaPeer` of the LSA team,
 * for kernels of this rank.
 *
 * @throws NcclError `NCCL_INVALID_ARGUMENT` if the offset is not inside the window or the LSA team
 *   has no such rank; `NCCLTS_CLOSED` after the window's deregistration.
 * @see ncclGetLsaDevicePointer
 */
export function getLsaDevicePointer(window: HostWindow, offset: number, lsaPeer: number): DevicePointer | null {
  const what = 'getLsaDevicePointer';
  const own = windowOf(window, what);
  checkOffset(own, offset, what);
  const { topology } = own.owner.group;
  expectInteger(`${what}: lsaPeer`, lsaPeer, 0, topology.lsaSize - 1);
  return resolve(own, own.rank - rankCoordinates(topology, own.rank).lsaRank + lsaPeer, offset);
}

/**
 * Returns the address of byte `offset` in the window's memory at world rank `peer`, for kernels of
 * this rank.
 *
 * @returns null if this rank cannot load and store that rank's memory.
 * @throws NcclError `NCCL_INVALID_ARGUMENT` if the offset is not inside the window or the world has
 *   no such rank; `NCCLTS_CLOSED` after the window's deregistration.
 * @see ncclGetPeerDevicePointer
 */
export function getPeerDevicePointer(window: HostWindow, offset: number, peer: number): DevicePointer | null {
  const what = 'getPeerDevicePointer';
  const own = windowOf(window, what);
  checkOffset(own, offset, what);
  expectInteger(`${what}: peer`, peer, 0, own.owner.group.topology.nRanks - 1);
  return resolve(own, peer, offset);
}

/**
 * Returns the multicast address of byte `offset` over the LSA team.
 *
 * @returns null if there is no multicast.
 * @throws NcclError `NCCL_INVALID_ARGUMENT` if the offset is not inside the window; `NCCLTS_CLOSED`
 *   after its deregistration.
 * @see ncclGetLsaMultimemDevicePointer
 */
export function getLsaMultimemDevicePointer(window: HostWindow, offset: number): DevicePointer | null {
  return multimem(window, offset, 'getLsaMultimemDevicePointer');
}

/**
 * Returns the multicast address of byte `offset` over the ranks of `handle`, which is one of a
 * device communicator's `multimemHandles`, or its `lsaMultimem`.
 *
 * @returns null if there is no multicast, and for a null handle
 * @throws NcclError `NCCL_INVALID_ARGUMENT` if the offset is not inside the window; `NCCLTS_CLOSED`
 *   after its deregistration.
 * @see ncclGetMultimemDevicePointer
 */
export function getMultimemDevicePointer(
  window: HostWindow,
  offset: number,
  handle: MultimemHandle,
): DevicePointer | null {
  const what = 'getMultimemDevicePointer';
  const { mcBasePtr } = handle;
  expectInteger(`${what}: handle.mcBasePtr`, mcBasePtr, 0);
  return multimem(window, offset, what, mcBasePtr);
}

function multimem(window: HostWindow, offset: number, what: string, base?: number): DevicePointer | null {
  const own = windowOf(window, what);
  checkOffset(own, offset, what);
  const { device, support } = own.owner.world;
  if (!support.multimem || base === 0) return null;
  const address = device.multimemPointer?.(own.handle, own.owner.worldRank, offset, base);
  return address === undefined ? null : new ResolvedPointer(own, address);
}

function resolve(window: RegisteredWindow, peer: number, offset: number): DevicePointer | null {
  const { world, group, worldRank } = window.owner;
  const address = world.device.devicePointer(window.handle, worldRank, group.worldRank(peer), offset);
  return address === undefined ? null : new ResolvedPointer(window, address);
}
