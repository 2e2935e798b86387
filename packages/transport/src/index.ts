export type {
  Backend,
  BackendWorld,
  DevCommHandle,
  DeviceBuffer,
  Dim3,
  Executable,
  HostState,
  LaunchConfig,
  LaunchReport,
  OpenWorldOptions,
  StreamHandle,
  WindowHandle,
} from './backend.ts';
export type { KernelArg } from './kernel-arg.ts';
export { defineBackend } from './define-backend.ts';
