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
  HostState,
  LaunchAttributes,
  LaunchConfig,
  LaunchReport,
  MemSyncDomainMap,
  OpenWorldOptions,
  ProcessPlace,
  RankGroup,
  StreamHandle,
} from './backend.ts';
export type { DevCommHandle } from './handles.ts';
export type { WindowHandle } from './handles.ts';
export type { CollectiveWork, WindowPlace } from './collective-work.ts';
export type { DeviceTensor, ExposedBytes, ExposedGpuBuffer, ExposedMemory } from './exposed-memory.ts';
export type { KernelArg } from './kernel-arg.ts';
export type { RankCall, RankMisuse } from './rank-misuse.ts';
export { defineBackend } from './define-backend.ts';
export type { PrintingThread } from './printed-line.ts';
export { blockIdxText, printedLine } from './printed-line.ts';
