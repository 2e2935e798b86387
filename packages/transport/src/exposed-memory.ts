/** Host memory: these bytes, in the process's own address space. */
export interface ExposedBytes {
  readonly kind: 'bytes';
  readonly bytes: Uint8Array;
}

/** A part of a GPUBuffer. */
export interface ExposedGpuBuffer {
  readonly kind: 'gpuBuffer';
  /** The GPUBuffer, on the device of the world. */
  readonly buffer: object;
  /** The memory's range in the buffer, in bytes. */
  readonly offset: number;
  readonly bytes: number;
}

/**
 * Memory of a CUDA device, in DLPack's terms: contiguous elements of one type.
 *
 * @see DLTensor of DLPack
 */
export interface DeviceTensor {
  readonly kind: 'deviceTensor';
  /** The device's address. */
  readonly data: bigint;
  /** Added to `data`. Default: 0. */
  readonly byteOffset?: number;
  /** `id`: the CUDA ordinal. */
  readonly device: { readonly type: 'cuda'; readonly id: number };
  /** `lanes`: default 1. */
  readonly dtype: {
    readonly code: 'int' | 'uint' | 'float' | 'bfloat' | 'bool';
    readonly bits: number;
    readonly lanes?: number;
  };
  /** Elements along each dimension. */
  readonly shape: readonly number[];
  /**
   * Elements from one to the next along each dimension. Default: none between, the last dimension
   * innermost.
   */
  readonly strides?: readonly number[];
}

/** Memory of a rank as its backend has it. No copy. */
export type ExposedMemory = ExposedBytes | ExposedGpuBuffer | DeviceTensor;
