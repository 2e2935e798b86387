import { reading } from '@nccl-ts/core';
import { apiRuntime, type ApiVersionOptions, type ResourceSupport } from '@nccl-ts/devcomm';
import type { Backend, BackendWorld, ProcessRank } from '@nccl-ts/transport';
import { derive } from './rank/derive.ts';
import { shown } from './describe.ts';
import { aborted, closed, invalidArgument, messageOf, settleAll, throwIfAborted } from './errors.ts';
import { Executables } from './world/executables.ts';
import { WorkPreparation } from './world/work-preparation.ts';
import { CommunicatorGroup } from './rank/group.ts';
import { hasHostEndpoints, type HostCftMode } from './world/host-cft-mode.ts';
import { HostStates } from './world/host-states.ts';
import { Lifecycle } from './world/lifecycle.ts';
import { supportOf } from './world/properties.ts';
import { RankState } from './rank/rank-state.ts';
import type { WorldState } from './rank/world-state.ts';

/** A world of a backend, with its state and that of its ranks in this process. */
export interface OpenedWorld {
  readonly state: WorldState;
  readonly ranks: readonly RankState[];
}

export interface OpenWorldRequest extends ApiVersionOptions {
  readonly backend: Backend;
  readonly what: string;
  readonly signal?: AbortSignal | undefined;
  readonly hostCftMode?: HostCftMode | undefined;
  /** Set if the process holds one rank of several. */
  readonly process?: ProcessRank;
}

/** Opens a world on a backend, with a default stream for each rank of this process. */
export async function openWorld(request: OpenWorldRequest): Promise<OpenedWorld> {
  const { backend, what, signal, process, versionCheck = true } = request;
  if (typeof versionCheck !== 'boolean') {
    throw invalidArgument(`${what}: versionCheck must be true or false; given ${shown(versionCheck)}.`);
  }
  throwIfAborted(signal, what);
  let onStall = (_error: Error | undefined): void => undefined;
  const stalled = (error: Error | undefined): void => onStall(error);
  const device = await backend.open({ onStall: stalled, ...(process === undefined ? {} : { process }) });
  try {
    const support = supportOf(backend, device);
    const hostEndpoints = hasHostEndpoints(request.hostCftMode, support, device, what);
    const state = stateOf(backend, device, support, hostEndpoints, versionCheck);
    const group = new CommunicatorGroup(state);
    state.groups.add(group);
    onStall = (error) => {
      for (const one of state.groups) one.stall(error);
    };
    const ranks: RankState[] = [];
    for (const rank of device.localRanks)
      ranks.push(new RankState(state, group, rank, await device.createStream(rank)));
    throwIfAborted(signal, what);
    return { state, ranks };
  } catch (error) {
    await device[Symbol.asyncDispose]();
    throw error;
  }
}

/** @throws NcclError `NCCL_INVALID_ARGUMENT` */
export function checkBackend(backend: unknown, what: string): void {
  if (reading(what, () => isBackend(backend))) return;
  if (typeof backend === 'object' && backend !== null && 'allocWindow' in backend && 'launch' in backend) {
    throw invalidArgument(
      `${what}: backend must be a backend, given a communicator: this program is called once for each rank of an open world, so use its argument and open none.`,
    );
  }
  throw invalidArgument(`${what}: backend must be a backend, such as sim({ ranks: 4 }); given ${shown(backend)}.`);
}

function isBackend(backend: unknown): boolean {
  return typeof backend === 'object' && backend !== null && 'open' in backend && typeof backend.open === 'function';
}

/**
 * Ends all running and waiting work. The first cause is kept. If this is the first call, `onAbort`
 * is called before the waits end.
 */
export function abortWorld(state: WorldState, cause: unknown, onAbort?: (cause: unknown) => void): void {
  if (!state.lifecycle.abort(cause)) return;
  onAbort?.(cause);
  for (const group of state.groups) group.end(cause);
  const reason = cause instanceof Error ? cause : aborted(`The world was aborted: ${messageOf(cause)}`, cause);
  state.device.abort(reason);
}

/** Frees all resources. If something is still running or waiting, `abort` is called first. */
export async function closeWorld(
  { state }: OpenedWorld,
  isRunning: boolean,
  abort: (cause: unknown) => void,
): Promise<void> {
  const { lifecycle, device } = state;
  const communicators = [...state.communicators];
  const isIdle = !isRunning && communicators.every((rank) => rank.isIdle);
  if (isIdle) lifecycle.beginClose();
  else abort(closed('The world was closed while something ran or waited.'));
  await settleAll(
    [
      ...communicators.toReversed().map((rank) => async () => rank.close()),
      async () => {
        lifecycle.close();
        state.states.close();
        await device[Symbol.asyncDispose]();
      },
    ],
    'close of a world',
  );
}

function stateOf(
  backend: Backend,
  device: BackendWorld,
  support: ResourceSupport,
  hostEndpoints: boolean,
  versionCheck: boolean,
): WorldState {
  const lifecycle = new Lifecycle();
  const states = new HostStates(
    device.localRanks,
    (rank, state) => {
      if (lifecycle.isAlive) device.setHostState(rank, state);
    },
    (rank) => {
      if (lifecycle.isAlive) device.hostChooses?.(rank);
    },
  );
  const api = apiRuntime(support, { versionCheck });
  return {
    backend,
    device,
    support,
    hostEndpoints,
    api,
    lifecycle,
    states,
    executables: new Executables(backend, device, api),
    work: new WorkPreparation(device),
    groups: new Set(),
    communicators: new Set(),
    derive,
  };
}
