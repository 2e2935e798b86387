export { Communicator } from './communicator.ts';
export type { InitOptions } from './communicator.ts';
export type { AllocWindowOptions, RegisterWindowOptions } from './create-window.ts';
export type { Companion, CompanionKind, TellMisuse } from './companion.ts';
export type { DevComm } from './dev-comm.ts';
export { getCftDeviceLeInfo, getMultimemDeviceLeInfo, getPeerDeviceLeInfo } from './device-endpoints.ts';
export type { DeviceEndpoint } from './device-endpoints.ts';
export type { HostCftMode, HostCftOptions } from './host-cft-mode.ts';
export type { DevicePointer } from './device-pointer.ts';
export {
  getLsaDevicePointer,
  getLsaMultimemDevicePointer,
  getMultimemDevicePointer,
  getPeerDevicePointer,
  winGetUserPtr,
} from './device-pointers.ts';
export type { ElementType } from './element-type.ts';
export type { Graph } from './graph.ts';
export type { HostData } from './host-data.ts';
export type { PreparedLaunch } from './launch.ts';
export type { Extent, LaunchOptions, LaunchWork } from './launch-config.ts';
export type { DeviceMemory } from './memory.ts';
export type { ShrinkOptions } from './split.ts';
export type { CreateStreamOptions, Stream, SynchronizeOptions } from './stream.ts';
export type { UniqueId } from './unique-id.ts';
export type { Window } from './window.ts';
export { World } from './world.ts';
export type { OpenOptions, RunOptions } from './world.ts';
