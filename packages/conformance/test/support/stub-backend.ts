import { NcclError } from '@nccl-ts/core';
import type { Capabilities } from '@nccl-ts/ir';
import { createTopology } from '@nccl-ts/topology';
import { defineBackend, type Backend, type BackendWorld } from '@nccl-ts/transport';
import type { WorldShape } from '@nccl-ts/conformance';

const capabilities: Capabilities = {
  backend: 'stub',
  scalars: ['bool', 'i32', 'u32', 'f32', 'addr'],
  maxBlockThreads: 128,
  maxSharedBytes: 1024,
  divergentWaits: true,
  subgroups: true,
  print: false,
  multimem: false,
  primitives: [],
};

/** A backend whose worlds hold nothing and run nothing: for tests of the runner, not of kernels. */
export function stubBackend(shape: WorldShape, overrides: Partial<Capabilities> = {}): Backend {
  const topology = createTopology(shape);
  const none = async (): Promise<never> => {
    throw new NcclError('NCCL_INTERNAL_ERROR', 'The stub has no memory.');
  };
  return defineBackend<Backend>({
    name: 'stub',
    capabilities: { ...capabilities, ...overrides },
    open: async (): Promise<BackendWorld> => ({
      topology,
      localRanks: Array.from({ length: shape.ranks }, (_, rank) => rank),
      alloc: none,
      free: async () => {},
      write: none,
      read: none,
      registerWindow: none,
      deregisterWindow: async () => {},
      devicePointer: () => undefined,
      createDevComm: none,
      destroyDevComm: async () => {},
      createStream: async (rank) => ({ rank }),
      destroyStream: async () => {},
      compile: async ({ name }) => ({ name, artifacts: [] }),
      launch: () => {},
      synchronize: async () => ({ launches: 0, printed: [] }),
      setHostState: () => {},
      abort: () => {},
      [Symbol.asyncDispose]: async () => {},
    }),
  });
}
