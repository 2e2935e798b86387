export { distributedWebgpu, type DistributedWebgpuBackend } from './distributed-webgpu.ts';
export type { DistributedWebgpuOptions } from './options/distributed-options.ts';
export type { DistributedWebgpuWorld } from './world/distributed-world.ts';
export type { ExchangeCosts } from '@nccl-ts/backend-webgpu/devices';
