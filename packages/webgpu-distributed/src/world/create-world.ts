import {
  DeviceWorld,
  WebgpuWorldMemory,
  type AcquiredDevice,
  type ResolvedWebgpuOptions,
} from '@nccl-ts/backend-webgpu/devices';
import type { Topology } from '@nccl-ts/topology';
import type { OpenWorldOptions } from '@nccl-ts/transport';
import { Exchange } from '../exchange/exchange.ts';

/**
 * Opens a world on the devices, which get equal shares of consecutive ranks in this order. They
 * exchange memory if ranks of different devices can access each other's.
 *
 * @throws NcclError `NCCLTS_OUT_OF_MEMORY`
 */
export async function createWorld(
  devices: readonly [AcquiredDevice, ...AcquiredDevice[]],
  topology: Topology,
  options: ResolvedWebgpuOptions & OpenWorldOptions,
): Promise<DeviceWorld> {
  const memory = await WebgpuWorldMemory.create(devices, topology, options.memoryBytes);
  const exchange = memory.spans ? await Exchange.create(memory.replicas) : undefined;
  return DeviceWorld.create(memory, exchange, options);
}
