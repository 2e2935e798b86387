import type { Capabilities, Check } from '@nccl-ts/ir';
import { createTopology } from '@nccl-ts/topology';
import { defineBackend, type Backend, type OpenWorldOptions } from '@nccl-ts/transport';
import { dependencyCalls } from './emit-wgsl/grid-dependency.ts';
import { DeviceWorld } from './device-world.ts';
import { acquireDevice } from './gpu/acquire-device.ts';
import { WebgpuWorldMemory } from './memory/world-memory.ts';
import { resolveWebgpuOptions, type ResolvedWebgpuOptions } from './resolve-webgpu-options.ts';
import type { WebgpuOptions } from './webgpu-options.ts';
import type { WebgpuWorld } from './webgpu-world.ts';

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

/** The capabilities of a backend with these options. */
export function webgpuCapabilities({ checks }: Pick<ResolvedWebgpuOptions, 'checks'>): Capabilities {
  const all: readonly Check[] = checks ? ['bounds', 'alignment', ...always] : always;
  return { ...capabilities, checks: Object.freeze([...all]) };
}

/**
 * Creates a backend whose ranks share one GPU, in a browser or in Node with the package `webgpu`.
 * For several devices, or ranks in their own workers and tabs, use `distributedWebgpu` of
 * `@nccl-ts/webgpu-distributed`.
 *
 * Kernels are split at their waits, because a workgroup cannot rely on another workgroup's
 * progress. A wait in divergent control flow is therefore a compile error. All other kernels run.
 *
 * @throws NcclError `NCCL_INVALID_ARGUMENT` for impossible options.
 */
export function webgpu(options: WebgpuOptions): WebgpuBackend {
  const resolved = resolveWebgpuOptions(options);
  const topology = createTopology({ ranks: resolved.ranks, lsaSize: resolved.lsaSize });
  return defineBackend<WebgpuBackend>({
    name: 'webgpu',
    capabilities: webgpuCapabilities(resolved),
    open: async (world) => {
      const device = await acquireDevice(resolved);
      try {
        const memory = await WebgpuWorldMemory.create([device], topology, resolved.memoryBytes);
        return await DeviceWorld.create(memory, undefined, { ...resolved, ...world });
      } catch (error) {
        device.dispose();
        throw error;
      }
    },
  });
}
