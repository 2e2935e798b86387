/**
 * Addresses are 32-bit numbers, the same for all ranks. The highest bits select the buffer of a
 * byte: the heap below `SEGMENT_BASE`, a caller's buffer below `RESOURCE_BASE`, and the resources
 * above that. No address is 0.
 */
export const SEGMENT_BASE: number = 0x8000_0000;

/** The resource windows of device communicators, which kernels access atomically. */
export const RESOURCE_BASE: number = 0xc000_0000;

/** One page below the end, so that the end of every region is an address too. */
export const ADDRESS_END: number = 0xffff_f000;

/** Every buffer begins at a multiple of this. */
export const PAGE_BYTES = 4096;

/** Bytes of one GPUBuffer, at addresses starting with `base`. */
export interface GpuStore {
  readonly base: number;
  /** The current buffer. Growing replaces it. */
  readonly buffer: GPUBuffer;
  /**
   * True if it belongs to the caller, who may have created it without a flag, destroyed or mapped
   * it.
   */
  readonly ofCaller: boolean;
}
