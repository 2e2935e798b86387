/// <reference types="@webgpu/types" preserve="true" />
/** The GPU of the ranks, and its options. */
export interface WebgpuOptions {
  /** The number of ranks, from 1 to 4096. */
  readonly ranks: number;
  /**
   * The number of consecutive ranks that can load and store each other's memory. It must divide
   * `ranks`.
   * @default `ranks`
   */
  readonly lsaSize?: number;
  /**
   * A device of the caller. The backend uses it as it is, and does not destroy it when the world is
   * closed. Its limits are those requested in `requestDevice`. Without `requiredLimits`, a storage
   * buffer has at most 128 MiB.
   * @default a new one, with every limit of its adapter
   */
  readonly device?: GPUDevice;
  /**
   * The GPU whose name contains this text, case-sensitive. Only in Node, because browsers choose
   * the GPU themselves.
   * @default WebGPU's first one
   */
  readonly adapter?: string;
  /**
   * A preference, which systems may ignore.
   * @default none
   */
  readonly powerPreference?: 'low-power' | 'high-performance';
  /**
   * True if results must equal those of the other backends bit for bit, even where GPUs may differ.
   * @default true
   */
  readonly exact?: boolean;
  /**
   * True if accesses outside windows, misaligned accesses, failed assertions and the like end the
   * launch with an error that has their location.
   * @default true
   */
  readonly checks?: boolean;
  /**
   * The largest number of bytes of window memory for all ranks together.
   * @default the size of one binding of the device
   */
  readonly memoryBytes?: number;
  /**
   * The largest number of rounds in one dispatch of a loop without an evident bound. It ends loops
   * that spin on memory without a wait, before the system resets the device.
   * @default 2 ** 22
   */
  readonly fuel?: number;
}
