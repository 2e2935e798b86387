/** Host memory: bytes in the process's own address space. */
export interface ExposedBytes {
  readonly kind: 'bytes';
  readonly bytes: Uint8Array;
}

/** A part of a GPUBuffer. */
export interface ExposedGpuBuffer {
  readonly kind: 'gpuBuffer';
  /** The GPUBuffer, which belongs to the world's device. */
  readonly buffer: object;
  /** The memory's range in the buffer, in bytes. */
  readonly offset: number;
  readonly bytes: number;
}

/**
 * Memory of a CUDA device in DLPack's terms, with contiguous elements of one type.
 *
 * @see DLTensor of DLPack
 */
export interface DeviceTensor {
  readonly kind: 'deviceTensor';
  /** The device address. */
  readonly data: bigint;
  /** Added to `data`. @default 0 */
  readonly byteOffset?: number;
  /** The device. `id` is the CUDA ordinal. */
  readonly device: { readonly type: 'cuda'; readonly id: number };
  /** The element type. `lanes` is 1 by default. */
  readonly dtype: {
    readonly code: 'int' | 'uint' | 'float' | 'bfloat' | 'bool';
    readonly bits: number;
    readonly lanes?: number;
  };
  /** The number of elements along each dimension. */
  readonly shape: readonly number[];
  /**
   * The distance in elements between neighbours along each dimension. By default the memory is
   * dense, with the last dimension innermost.
   */
  readonly strides?: readonly number[];
}

/** Memory of a rank in its backend's own form, without a copy. */
export type ExposedMemory = ExposedBytes | ExposedGpuBuffer | DeviceTensor;
