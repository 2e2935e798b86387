import type { ResourceSupport } from '@nccl-ts/devcomm';
import type { Capabilities } from '@nccl-ts/ir';
import { createTopology } from '@nccl-ts/topology';
import { defineBackend, type Backend } from '@nccl-ts/transport';
import { MemoryWorld } from './memory-world.ts';

export interface MemoryBackendOptions {
  readonly ranks: number;
  readonly lsaSize?: number;
  readonly support?: ResourceSupport;
  readonly software?: boolean;
  readonly capabilities?: Partial<Capabilities>;
  /** Returns an error for the n-th call of a backend method, counted from 1. */
  readonly fail?: (method: string, call: number) => Error | undefined;
  /** If true, launches end when the test says so, and not immediately. */
  readonly held?: boolean;
  /** Returns the backend's explanation if nothing can continue. */
  readonly stallError?: () => Error | undefined;
  /** If true, the backend adopts `Uint8Array`s as memory. */
  readonly adopts?: boolean;
  /** If true, the backend can expose its memory. */
  readonly exposes?: boolean;
  /** If true, the backend supports groups of some of the ranks. */
  readonly groups?: boolean;
  /** If true, the backend can end the work of one stream. */
  readonly cancels?: boolean;
  /** The ranks of this process. @default all */
  readonly localRanks?: readonly number[];
}

/** A backend that keeps memory and records launches, but runs no kernel. */
export interface MemoryBackend extends Backend {
  /** The worlds it opened, in order. */
  readonly worlds: readonly MemoryWorld[];
}

export function memoryBackend(options: MemoryBackendOptions): MemoryBackend {
  const worlds: MemoryWorld[] = [];
  return defineBackend({
    name: 'memory',
    capabilities: {
      backend: 'memory',
      scalars: [
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
        'f64',
        'e4m3',
        'e5m2',
        'addr',
      ],
      maxBlockThreads: 1024,
      maxSharedBytes: 65536,
      divergentWaits: true,
      subgroups: true,
      print: true,
      multimem: false,
      primitives: [],
      ...options.capabilities,
    },
    worlds,
    open: async ({ onStall }) => {
      const topology = createTopology({
        ranks: options.ranks,
        ...(options.lsaSize === undefined ? {} : { lsaSize: options.lsaSize }),
      });
      const world = new MemoryWorld(topology, options, onStall);
      worlds.push(world);
      return world;
    },
  });
}
