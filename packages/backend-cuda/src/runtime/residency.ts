import { NcclError } from '@nccl-ts/core';
import type { Dim3 } from '@nccl-ts/transport';
import { cuDeviceAttribute } from '../ffi/cu-constants.ts';
import type { CudaDevice } from './cuda-device.ts';

/** The number of CTAs of a kernel that its GPU runs at the same time. */
export class Residency {
  readonly #device: CudaDevice;
  readonly #function: number;
  /** By the number of threads of a CTA. */
  readonly #most = new Map<number, number>();

  constructor(device: CudaDevice, fn: number) {
    this.#device = device;
    this.#function = fn;
  }

  /**
   * Checks a launch. Kernels that wait for other ranks must run beside their kernels, so each rank
   * has its share of the GPU.
   *
   * @throws NcclError `NCCL_INVALID_USAGE` if a launch would exceed its share.
   */
  check(kernel: string, grid: Dim3, block: Dim3): void {
    const { sharing, ordinal } = this.#device;
    const threads = block.x * block.y * block.z;
    const share = Math.floor(this.#mostOf(threads) / sharing);
    const ctas = grid.x * grid.y * grid.z;
    if (ctas <= share) return;
    throw new NcclError(
      'NCCL_INVALID_USAGE',
      `Kernel '${kernel}' waits for other CTAs, and up to ${sharing} ranks share GPU ${ordinal}: beside one another each can have ` +
        `${share} CTAs of ${threads} threads there; the launch has ${ctas}.`,
      { details: { kernel, ctas, share, sharing } },
    );
  }

  #mostOf(threads: number): number {
    let most = this.#most.get(threads);
    if (most === undefined) {
      const { driver, ordinal } = this.#device;
      this.#device.makeCurrent();
      most =
        driver.number('cuOccupancyMaxActiveBlocksPerMultiprocessor', this.#function, threads, 0) *
        driver.attribute(cuDeviceAttribute.multiprocessorCount, ordinal);
      this.#most.set(threads, most);
    }
    return most;
  }
}
