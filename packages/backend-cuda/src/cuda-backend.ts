import { scalarKinds } from '@nccl-ts/core';
import type { Capabilities } from '@nccl-ts/ir';
import { defineBackend, type Backend, type OpenWorldOptions } from '@nccl-ts/transport';
import { resolveCudaOptions, type CudaOptions } from './cuda-options.ts';
import { thisHost } from './discovery/discovery-host.ts';
import { emitCuda } from './emit-cuda/emit-cuda.ts';
import { dependencyCalls } from './emit-cuda/grid-dependency.ts';
import { cftBarrierCalls } from './emit-cuda/native-cft-barrier.ts';
import { cftCalls } from './emit-cuda/native-cft.ts';
import { ginCalls } from './emit-cuda/native-gin.ts';
import { windowPrimitives } from './emit-cuda/native-windows.ts';
import { openCudaWorld } from './open-cuda-world.ts';
import type { CudaWorld } from './runtime/cuda-world.ts';
import { openPlatform } from './runtime/platform.ts';

/** NVIDIA GPUs as a backend. Its worlds have additional methods. */
export interface CudaBackend extends Backend {
  readonly name: 'cuda';
  open(options: OpenWorldOptions): Promise<CudaWorld>;
  getUniqueId(): Promise<Uint8Array<ArrayBuffer>>;
}

/** The capabilities of any GPU that NCCL's device API supports. */
const capabilities: Capabilities = {
  backend: 'cuda',
  scalars: scalarKinds,
  maxBlockThreads: 1024,
  maxSharedBytes: 48 * 1024,
  divergentWaits: true,
  subgroups: true,
  print: true,
  multimem: false,
  addressPointers: true,
  primitives: Object.freeze([
    ...dependencyCalls,
    ...ginCalls,
    ...cftCalls,
    ...cftBarrierCalls,
    ...windowPrimitives,
    'barrier.vote',
  ]),
};

/**
 * A backend that runs kernels on the NVIDIA GPUs of this machine, through NCCL's windows, device
 * communicators and barriers. A kernel becomes CUDA C++, which the CUDA toolkit compiles against
 * the headers of the installed NCCL. Compiled code is cached on disk.
 *
 * The backend loads nothing native before you open a world. Opening blocks the event loop while
 * NCCL connects the GPUs, which takes some 1.4 seconds for eight.
 *
 * @throws NcclError `NCCL_INVALID_ARGUMENT` for impossible options. `open` rejects if the machine
 *   lacks something: `NCCLTS_KOFFI_MISSING`, `NCCLTS_CUDA_NO_DRIVER`, `NCCLTS_CUDA_DRIVER_TOO_OLD`,
 *   `NCCLTS_CUDA_NO_DEVICE`, `NCCLTS_CUDA_NO_P2P`, `NCCLTS_CUDA_NO_TOOLKIT`,
 *   `NCCLTS_NCCL_NOT_FOUND`, `NCCLTS_NCCL_MISMATCH`, `NCCLTS_NCCL_TOO_OLD`.
 */
export function cuda(options: CudaOptions = {}): CudaBackend {
  const resolved = resolveCudaOptions(options);
  return defineBackend<CudaBackend>({
    name: 'cuda',
    capabilities: { ...capabilities },
    open: async (open) => openCudaWorld(resolved, open, emitCuda),
    getUniqueId: async () => (await openPlatform(resolved, thisHost())).nccl.uniqueId(),
  });
}
