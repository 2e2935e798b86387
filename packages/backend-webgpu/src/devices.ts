export { AcquiredDevice } from './gpu/acquired-device.ts';
export { acquireDevice, type DeviceChoice } from './gpu/acquire-device.ts';
export type { DeviceLimits } from './gpu/device-limits.ts';
export { BufferUsage, MapMode, SHADER_STAGE_COMPUTE } from './gpu/gpu-flags.ts';
export { deviceExcludes, expectAdapterName, isGpuDevice } from './choose-device.ts';
export { resolveWebgpuOptions, webgpuOptionNames, type ResolvedWebgpuOptions } from './resolve-webgpu-options.ts';
export { webgpuCapabilities } from './webgpu-backend.ts';
export { DeviceWorld } from './device-world.ts';
export { WebgpuWorldMemory } from './memory/world-memory.ts';
export type { Replica } from './memory/replica.ts';
export { StagingPool } from './memory/staging-pool.ts';
export { RESOURCE_BASE } from './memory/address-map.ts';
export {
  noCosts,
  type ByBytes,
  type ChangeSearch,
  type ExchangeCosts,
  type MemoryExchange,
  type WordRange,
} from './engine/memory-exchange.ts';
export { merged } from './engine/written-ranges.ts';
export { aborted, closed, foreign, messageOf } from './errors.ts';
