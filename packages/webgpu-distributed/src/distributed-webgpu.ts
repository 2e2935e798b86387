import type { WebgpuBackend } from '@nccl-ts/backend-webgpu';
import { acquireDevice, webgpuCapabilities, type AcquiredDevice } from '@nccl-ts/backend-webgpu/devices';
import { createTopology, type Topology } from '@nccl-ts/topology';
import { defineBackend, type OpenWorldOptions } from '@nccl-ts/transport';
import { createUniqueId, joinWorld } from './join/join-world.ts';
import type { DistributedWebgpuOptions } from './options/distributed-options.ts';
import { resolveDistributedOptions, type ResolvedDistributedOptions } from './options/resolve-distributed-options.ts';
import { createWorld } from './world/create-world.ts';
import type { DistributedWebgpuWorld } from './world/distributed-world.ts';

/** WebGPU on several devices, or in several workers or tabs, as a backend. */
export interface DistributedWebgpuBackend extends WebgpuBackend {
  open(options: OpenWorldOptions): Promise<DistributedWebgpuWorld>;
  getUniqueId(): Promise<Uint8Array<ArrayBuffer>>;
}

/**
 * Creates a backend like `webgpu()` whose ranks share one GPU or several, in a browser or in Node
 * with the package `webgpu`. With `Communicator.init` each rank has its own worker or tab, with its
 * own device.
 *
 * @throws NcclError `NCCL_INVALID_ARGUMENT` for impossible options.
 */
export function distributedWebgpu(options: DistributedWebgpuOptions): DistributedWebgpuBackend {
  const resolved = resolveDistributedOptions(options);
  const topology = createTopology({ ranks: resolved.ranks, lsaSize: resolved.lsaSize });
  const capabilities = webgpuCapabilities(resolved);
  return defineBackend<DistributedWebgpuBackend>({
    name: 'webgpu',
    capabilities,
    getUniqueId: async () => createUniqueId(),
    open: async (world) => {
      const { process } = world;
      if (process !== undefined) return joinWorld({ options: resolved, capabilities, topology, world }, process);
      return openOnDevices(resolved, topology, world);
    },
  });
}

async function openOnDevices(
  options: ResolvedDistributedOptions,
  topology: Topology,
  world: OpenWorldOptions,
): Promise<DistributedWebgpuWorld> {
  const [first, ...others] = options.devices;
  const acquired: [AcquiredDevice, ...AcquiredDevice[]] = [await acquireDevice(first)];
  try {
    for (const choice of others) acquired.push(await acquireDevice(choice));
    return await createWorld(acquired, topology, { ...options, ...world });
  } catch (error) {
    for (const device of acquired) device.dispose();
    throw error;
  }
}
