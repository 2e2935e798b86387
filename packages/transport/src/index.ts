export type {
  Backend,
  BackendWorld,
  CompileOptions,
  CreateStreamOptions,
  BufferPart,
  DeviceBuffer,
  Dim3,
  Executable,
  GraphHandle,
  HostEndpoint,
  HostState,
  LaunchAttributes,
  LaunchConfig,
  LaunchReport,
  MemSyncDomainMap,
  OpenWorldOptions,
  ProcessRank,
  RankGroup,
  StreamHandle,
} from './backend.ts';
export type { DevCommHandle } from './handles.ts';
export type { WindowHandle } from './handles.ts';
export type {
  CollectiveEngine,
  CollectiveLaunch,
  CollectiveMemory,
  WebAssemblyHeap,
  RankCollectives,
} from './collective-engine.ts';
export type { CollectiveWork, WindowLocation } from './collective-work.ts';
export type { DeviceTensor, ExposedBytes, ExposedGpuBuffer, ExposedMemory } from './exposed-memory.ts';
export type { KernelArg } from './kernel-arg.ts';
export type { RankCall, RankMisuse } from './rank-misuse.ts';
export { defineBackend } from './define-backend.ts';
export type { PrintingThread } from './printed-line.ts';
export { blockIdxText, printedLine } from './printed-line.ts';
export type { CtaIdentity } from './kit/cta-identity.ts';
export { FreeList } from './kit/free-list.ts';
export {
  coreCount,
  lackOfThreads,
  mayBlock,
  spawnThread,
  type HostThread,
  type ThreadListener,
} from './kit/host-thread.ts';
export type { KernelText } from './kit/kernel-text.ts';
export { LaunchRecord, type LaunchRecordInit } from './kit/launch-record.ts';
export { LaunchStream, type NotifyLater } from './kit/launch-stream.ts';
export { StallWatch, type StallWatchOptions } from './kit/stall-watch.ts';
