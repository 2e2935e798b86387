import type { BackendWorld, DeviceBuffer, Executable } from '@nccl-ts/transport';
import type { AdapterInfo } from './gpu/acquired-device.ts';

/** A world whose ranks share one GPU. */
export interface WebgpuWorld extends BackendWorld {
  readonly device: GPUDevice;
  readonly adapterInfo: AdapterInfo;
  /** True if the GPU is emulated on the CPU, so that times are meaningless. */
  readonly software: boolean;
  /** The compiled kernels, in order. The `artifacts` of each have the WGSL. */
  readonly executables: readonly Executable[];
  /** The dispatches that kernels have taken so far. */
  readonly dispatches: number;
  /**
   * The total nanoseconds of kernels on the GPU so far; `undefined` if the device has no timestamps.
   */
  readonly gpuNanoseconds: bigint | undefined;
  /**
   * Adopts a caller's GPUBuffer as memory of `rank`, without a copy. The caller still owns it, and
   * `free` only releases it. The same buffer may be adopted several times, by one rank or several.
   *
   * @throws NcclError `NCCL_INVALID_ARGUMENT` if it is not a GPUBuffer or has a size that kernels
   *   cannot use, `NCCL_INVALID_USAGE` if it lacks a usage flag, belongs to another device, is
   *   destroyed or mapped; `NCCLTS_NOT_SUPPORTED` if the world has as many adopted buffers as the
   *   device allows a kernel to bind.
   */
  adopt(rank: number, buffer: GPUBuffer): Promise<DeviceBuffer>;
}
