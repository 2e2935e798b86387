/// <reference types="@webgpu/types" preserve="true" />
import type { WebgpuOptions } from '@nccl-ts/backend-webgpu';

/** The GPUs of the ranks, and their options. */
export interface DistributedWebgpuOptions extends WebgpuOptions {
  /**
   * Several devices: a number of new ones, or the caller's, which are used like `device`. They get
   * equal shares of consecutive ranks, so their number must divide `ranks`. WebGPU devices share no
   * memory, so changed bytes go through the host after each round, and each device holds all memory
   * twice.
   * @default the number of `adapters`, or 1
   */
  readonly devices?: number | readonly GPUDevice[];
  /**
   * For each of several devices, a part of its GPU's name, as in `adapter`. Only in Node.
   * @default WebGPU's first one, for all
   */
  readonly adapters?: readonly string[];
}
