import { expectInteger } from '@nccl-ts/core';
import type { CftCaps } from '@nccl-ts/devcomm';
import type { Team } from '@nccl-ts/topology';
import type { HostEndpoint } from '@nccl-ts/transport';
import { hasWindowFlag, WindowFlags } from '@nccl-ts/window';
import { invalidArgument, invalidUsage, notSupported } from '../errors.ts';
import { checkOffset, windowOf } from './own-window.ts';
import type { RegisteredWindow, HostWindow } from './window.ts';

/**
 * A logical endpoint of the compute fabric, and an offset in it: an argument for kernels of the
 * rank that obtained it, whose parameter has the type `logicalEndpoint` of `@nccl-ts/cft`. You may
 * add to the offset within the window. The numbers have no other meaning.
 *
 * It is valid until its window is deregistered. NCCL's documents do not say whether endpoints
 * outlive the device communicator that made them, so do not rely on it.
 *
 * @see ncclCftLeId_t
 */
export interface DeviceEndpoint extends HostEndpoint {
  readonly leId: number;
  readonly leOffset: number;
}

/**
 * Returns the endpoint of member `peer` of a fabric team, and the location of byte `offset` of the
 * window in it. The team is seen from the calling rank, as from `cft.team` in a kernel.
 *
 * Endpoints exist if the world was opened with `hostCftMode`, and while a device communicator with
 * `cftCaps` is open.
 *
 * @throws NcclError `NCCL_INVALID_ARGUMENT` if the ranks have no endpoints, the offset is not
 *   inside the window, or the team has no such member among the communicator's ranks;
 *   `NCCL_INVALID_USAGE` if there are no endpoints yet, or the window is for GIN alone;
 *   `NCCLTS_NOT_SUPPORTED` if the backend gives hosts none; `NCCLTS_CLOSED` after the window's
 *   deregistration.
 * @see ncclGetCftDeviceLeInfo
 */
export function getCftDeviceLeInfo(window: HostWindow, offset: number, peer: number, team: Team): DeviceEndpoint {
  const what = 'getCftDeviceLeInfo';
  const own = ownWindow(window, offset, 'cft', what);
  expectInteger(`${what}: peer`, peer, 0, team.nRanks - 1);
  const rank = own.rank + (peer - team.rank) * team.stride;
  const { nRanks } = own.owner.group.topology;
  if (rank < 0 || rank >= nRanks) {
    throw invalidArgument(
      `${what}: peer ${peer} of the team would be rank ${rank}, but ranks are 0 to ${nRanks - 1}; pass a team as rank ` +
        `${own.rank} sees it.`,
    );
  }
  return endpointAt(own, rank, offset);
}

/**
 * Does the same as `getCftDeviceLeInfo` for rank `peer` of the communicator.
 *
 * @see ncclGetPeerDeviceLeInfo
 */
export function getPeerDeviceLeInfo(window: HostWindow, offset: number, peer: number): DeviceEndpoint {
  const what = 'getPeerDeviceLeInfo';
  const own = ownWindow(window, offset, 'cft', what);
  expectInteger(`${what}: peer`, peer, 0, own.owner.group.topology.nRanks - 1);
  return endpointAt(own, peer, offset);
}

/**
 * Does the same as `getCftDeviceLeInfo` for the multicast endpoint of the calling rank, for
 * multicast operations. Multicast endpoints exist if the world was opened with `hostCftMode` and
 * has them, and while a device communicator with `cftCaps: 'cftMultimem'` is open.
 *
 * @see ncclGetMultimemDeviceLeInfo
 */
export function getMultimemDeviceLeInfo(window: HostWindow, offset: number): DeviceEndpoint {
  return endpointAt(ownWindow(window, offset, 'cftMultimem', 'getMultimemDeviceLeInfo'), 'multicast', offset);
}

function endpointAt(own: RegisteredWindow, peer: number | 'multicast', offset: number): DeviceEndpoint {
  const { world, group, worldRank } = own.owner;
  const target = peer === 'multicast' ? peer : group.worldRank(peer);
  const found = world.device.logicalEndpoint?.(own.handle, worldRank, target, offset);
  if (found === undefined) throw new RangeError('The backend has no endpoints for hosts.');
  return Object.freeze({ leId: found.leId, leOffset: found.leOffset });
}

/** Returns the window, after a check that its rank has the endpoints. */
function ownWindow(
  window: HostWindow,
  offset: number,
  needed: Exclude<CftCaps, 'none'>,
  what: string,
): RegisteredWindow {
  const own = windowOf(window, what);
  checkOffset(own, offset, what);
  const { world, endpoints } = own.owner;
  const { cft = 'none' } = world.support;
  const kind = needed === 'cft' ? 'logical endpoints' : 'multicast endpoints';
  if (cft === 'none' || (needed === 'cftMultimem' && cft !== needed)) {
    throw invalidArgument(`${what}: the ranks have no ${kind}; check properties.cftSupport first.`);
  }
  if (world.device.logicalEndpoint === undefined) {
    throw notSupported(
      `${what}: backend ${world.backend.name} gives hosts no logical endpoints; let the kernel find its own, by cft.leInfo.`,
    );
  }
  if (hasWindowFlag(own.flags, WindowFlags.GinOnly)) {
    throw invalidUsage(`${what}: a window with WindowFlags.GinOnly has no ${kind}; register it without the flag.`);
  }
  const made = [...endpoints.values()];
  if (!world.hostEndpoints && !made.some((caps) => caps === needed || caps === 'cftMultimem')) {
    throw invalidUsage(
      `${what}: there are no ${kind} yet; first createDevComm({ cftCaps: '${needed}' }), or open the world with hostCftMode: 'enable'.`,
    );
  }
  return own;
}
