export { webgpu, type WebgpuBackend } from './webgpu-backend.ts';
export type { WebgpuOptions } from './webgpu-options.ts';
export type { WebgpuWorld } from './webgpu-world.ts';
export type { AdapterInfo } from './gpu/acquired-device.ts';
export type { DeviceLimits } from './gpu/device-limits.ts';
export { probe } from './probe.ts';
export type { ProbedGpu, ProbeItem, ProbeName, ProbeOptions, WebgpuReport } from './probe.ts';
export { emitWgsl } from './emit-wgsl/index.ts';
export type {
  EmitWgslOptions,
  PrintSite,
  RecordParam,
  Sharing,
  WaitSite,
  WgslExplanation,
  WgslSite,
  WgslSource,
} from './wgsl-source.ts';
