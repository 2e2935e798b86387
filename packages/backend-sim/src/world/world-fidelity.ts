import { exact, type Fidelity } from '@nccl-ts/core';
import type { BackendWorld } from '@nccl-ts/transport';

const worlds = exact('packages/communicator/test/world.test.ts');
const windows = exact('packages/communicator/test/window.test.ts');
const hostCalls = exact('packages/checker/test/check/host-calls.test.ts');
const hostOrders = exact('packages/checker/test/check/host-orders.test.ts');
const streams = exact('packages/communicator/test/stream.test.ts');
const graphs = exact('packages/communicator/test/graph.test.ts');
const groups = exact('packages/backend-sim/test/groups.test.ts');

/** How closely checks follow what a host program asks of a backend. */
export const worldFidelity: Readonly<Record<keyof BackendWorld, Fidelity>> = Object.freeze({
  topology: worlds,
  localRanks: worlds,
  support: worlds,
  software: worlds,
  ranksPerDevice: worlds,
  nvlink: worlds,
  alloc: windows,
  adopt: hostCalls,
  free: windows,
  write: hostCalls,
  read: hostCalls,
  expose: hostCalls,
  createGroup: groups,
  destroyGroup: groups,
  registerWindow: windows,
  deregisterWindow: windows,
  devicePointer: windows,
  multimemPointer: windows,
  logicalEndpoint: windows,
  createDevComm: worlds,
  multimemBase: worlds,
  signalAddress: worlds,
  destroyDevComm: worlds,
  memSyncDomainCount: worlds,
  createStream: streams,
  destroyStream: streams,
  compile: streams,
  prepareWork: worlds,
  launch: streams,
  cancel: streams,
  synchronize: streams,
  beginCapture: graphs,
  endCapture: graphs,
  launchGraph: graphs,
  destroyGraph: graphs,
  misused: worlds,
  hostChooses: hostOrders,
  setHostState: worlds,
  abort: worlds,
  [Symbol.asyncDispose]: worlds,
});
