/// <reference types="@webgpu/types" preserve="true" />
/** Which GPU runs the ranks, and how. */
export interface WebgpuOptions {
  /** How many ranks there are, from 1 to 4096. */
  readonly ranks: number;
  /**
   * How many consecutive ranks can load and store each other's memory. It divides `ranks`.
   * @default `ranks`
   */
  readonly lsaSize?: number;
  /**
   * A device of the caller, which is used as it is and not destroyed when the world is closed. Its limits are what was
   * asked of `requestDevice`: without `requiredLimits`, storage buffers end at 128 MiB.
   * @default one of its own, with every limit that its adapter has
   */
  readonly device?: GPUDevice;
  /**
   * Several devices: so many of its own, or the caller's, which are used like `device`. Ranks are dealt to them in
   * consecutive equal shares, so their number divides `ranks`. WebGPU shares nothing between devices: the bytes that
   * kernels change go through the host, after each round of turns, and each device holds all memory twice.
   * @default as many as `adapters` has, or 1
   */
  readonly devices?: number | readonly GPUDevice[];
  /**
   * In Node: the GPU whose name contains this text, upper and lower case as they are. Browsers choose by themselves.
   * @default the one that WebGPU gives first
   */
  readonly adapter?: string;
  /**
   * In Node: for each of several devices a text that the name of its GPU contains, as in `adapter`.
   * @default the one that WebGPU gives first, for all
   */
  readonly adapters?: readonly string[];
  /**
   * A wish, which systems may ignore.
   * @default none
   */
  readonly powerPreference?: 'low-power' | 'high-performance';
  /**
   * Whether numbers come out as on the other backends, bit by bit, where GPUs are free to differ.
   * @default true
   */
  readonly exact?: boolean;
  /**
   * Whether accesses outside of windows, misaligned ones, failed assertions and the like end the launch with an error
   * that says where.
   * @default true
   */
  readonly checks?: boolean;
  /**
   * The most bytes of window memory that all ranks have together.
   * @default what one binding of the device can hold
   */
  readonly memoryBytes?: number;
  /**
   * How many rounds a loop without an evident bound may take in one dispatch. It ends loops that spin on memory without
   * a wait, before the system takes the device away.
   * @default 2 ** 22
   */
  readonly fuel?: number;
}
