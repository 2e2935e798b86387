/// <reference types="@webgpu/types" preserve="true" />
/** The GPU of the ranks, and its options. */
export interface WebgpuOptions {
  /** The number of ranks, from 1 to 4096. */
  readonly ranks: number;
  /**
   * The number of consecutive ranks that can load and store each other's memory. It divides
   * `ranks`.
   * @default `ranks`
   */
  readonly lsaSize?: number;
  /**
   * A device of the caller, which is used unchanged and not destroyed when the world is closed. Its
   * limits are those requested in `requestDevice`: without `requiredLimits`, storage buffers end at
   * 128 MiB.
   * @default a new one, with every limit of its adapter
   */
  readonly device?: GPUDevice;
  /**
   * Several devices: a number of new ones, or the caller's, which are used like `device`. They get
   * consecutive equal shares of the ranks, so their number must divide `ranks`. WebGPU shares
   * nothing between devices: changed bytes go through the host, after each round, and each device
   * holds all memory twice.
   * @default the number of `adapters`, or 1
   */
  readonly devices?: number | readonly GPUDevice[];
  /**
   * In Node: the GPU whose name contains this text, case-sensitive. Browsers choose the GPU
   * themselves.
   * @default WebGPU's first one
   */
  readonly adapter?: string;
  /**
   * In Node: for each of several devices a part of its GPU's name, as in `adapter`.
   * @default WebGPU's first one, for all
   */
  readonly adapters?: readonly string[];
  /**
   * A wish, which systems may ignore.
   * @default none
   */
  readonly powerPreference?: 'low-power' | 'high-performance';
  /**
   * True if numbers equal those of the other backends, bit by bit, where GPUs may differ.
   * @default true
   */
  readonly exact?: boolean;
  /**
   * True if accesses outside windows, misaligned ones, failed assertions and the like end the
   * launch with an error that has their location.
   * @default true
   */
  readonly checks?: boolean;
  /**
   * The largest number of bytes of window memory of all ranks together.
   * @default the size of one binding of the device
   */
  readonly memoryBytes?: number;
  /**
   * The largest number of rounds of a loop without an evident bound in one dispatch. It ends loops
   * that spin on memory without a wait, before the system resets the device.
   * @default 2 ** 22
   */
  readonly fuel?: number;
}
