import type { Capabilities, Check } from '@nccl-ts/ir';
import { createTopology } from '@nccl-ts/topology';
import { defineBackend, type Backend, type OpenWorldOptions } from '@nccl-ts/transport';
import { dependencyCalls } from './emit-wgsl/grid-dependency.ts';
import { acquireDevice, type DeviceChoice } from './gpu/acquire-device.ts';
import type { AcquiredDevice } from './gpu/acquired-device.ts';
import { createUniqueId, openPlace } from './places/open-place.ts';
import { resolveWebgpuOptions } from './resolve-webgpu-options.ts';
import type { WebgpuOptions } from './webgpu-options.ts';
import { createWebgpuWorld, type WebgpuWorld } from './webgpu-world.ts';

/** WebGPU as a backend. Its worlds have additional methods. */
export interface WebgpuBackend extends Backend {
  readonly name: 'webgpu';
  open(options: OpenWorldOptions): Promise<WebgpuWorld>;
}

const always: readonly Check[] = ['fault', 'deadlock'];

/** The capabilities of any GPU with WebGPU: features that an adapter lacks are emulated. */
const capabilities: Omit<Capabilities, 'checks'> = {
  backend: 'webgpu',
  scalars: Object.freeze([
    'bool',
    'i8',
    'u8',
    'i16',
    'u16',
    'i32',
    'u32',
    'i64',
    'u64',
    'f16',
    'bf16',
    'f32',
    'e4m3',
    'e5m2',
    'addr',
  ] as const),
  maxBlockThreads: 1024,
  maxSharedBytes: 227 * 1024,
  divergentWaits: false,
  subgroups: true,
  print: true,
  multimem: false,
  primitives: dependencyCalls,
};

/**
 * Creates a backend whose ranks share one GPU or several, in a browser or in Node with the package
 * `webgpu`. With `Communicator.init` each rank has its own worker or tab, with its own device.
 *
 * Kernels are split at their waits, because a workgroup cannot rely on another workgroup's
 * progress. A wait in divergent control flow is therefore a compile error. All other kernels run.
 *
 * @throws NcclError `NCCL_INVALID_ARGUMENT` for impossible options.
 */
export function webgpu(options: WebgpuOptions): WebgpuBackend {
  const resolved = resolveWebgpuOptions(options);
  const topology = createTopology({ ranks: resolved.ranks, lsaSize: resolved.lsaSize });
  const checks: readonly Check[] = resolved.checks ? ['bounds', 'alignment', ...always] : always;
  const all: Capabilities = { ...capabilities, checks: Object.freeze([...checks]) };
  return defineBackend<WebgpuBackend>({
    name: 'webgpu',
    capabilities: all,
    getUniqueId: async () => createUniqueId(),
    open: async (world) => {
      if (world.process !== undefined)
        return openPlace({ options: resolved, capabilities: all, topology, world }, world.process);
      const acquired: AcquiredDevice[] = [];
      const acquire = async (choice: DeviceChoice): Promise<AcquiredDevice> => {
        const device = await acquireDevice(choice);
        acquired.push(device);
        return device;
      };
      try {
        const first = await acquire(resolved);
        const others: AcquiredDevice[] = [];
        for (const choice of resolved.others) others.push(await acquire(choice));
        return await createWebgpuWorld(first, others, topology, { ...resolved, ...world });
      } catch (error) {
        for (const device of acquired) device.dispose();
        throw error;
      }
    },
  });
}
