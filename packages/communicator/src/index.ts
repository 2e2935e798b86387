export { Communicator } from './communicator.ts';
export type { InitOptions } from './communicator.ts';
export type { AllocWindowOptions, RegisterWindowOptions } from './window/create-window.ts';
export type { Companion, CompanionKind, ReportMisuse } from './rank/companion.ts';
export type { DevComm, HostDevComm } from './dev-comm.ts';
export { getCftDeviceLeInfo, getMultimemDeviceLeInfo, getPeerDeviceLeInfo } from './window/device-endpoints.ts';
export type { DeviceEndpoint } from './window/device-endpoints.ts';
export type { HostCftMode, HostCftOptions } from './world/host-cft-mode.ts';
export type { DevicePointer } from './window/device-pointer.ts';
export {
  getLsaDevicePointer,
  getLsaMultimemDevicePointer,
  getMultimemDevicePointer,
  getPeerDevicePointer,
  winGetUserPtr,
} from './window/device-pointers.ts';
export type { ElementType } from './window/element-type.ts';
export type { Graph } from './stream/graph.ts';
export type { HostData } from './window/host-data.ts';
export type { PreparedLaunch } from './launch/launch.ts';
export type { Extent, LaunchOptions, LaunchWork } from './launch/launch-config.ts';
export type { DeviceMemory } from './window/memory.ts';
export type { ShrinkOptions } from './rank/split.ts';
export type { CreateStreamOptions, Stream, SynchronizeOptions } from './stream/stream.ts';
export type { UniqueId } from './rank/unique-id.ts';
export type { HostWindow, Window } from './window/window.ts';
export { World } from './world.ts';
export type { OpenOptions, RunOptions } from './world.ts';
