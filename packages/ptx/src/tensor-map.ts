/** The offsets of the parts of a tensor map, and its size and alignment. */
export interface TensorMapLayout {
  readonly bytes: number;
  readonly align: number;
  /** A number that other memory is unlikely to have. */
  readonly mark: number;
  readonly rank: number;
  /** 1, 2 or 3 for 32, 64 or 128 bytes. */
  readonly swizzle: number;
  readonly elementBytes: number;
  /** The type of an element: its index in `tensorMapTypes`. */
  readonly type: number;
  readonly base: number;
  readonly sizes: number;
  readonly box: number;
  readonly strides: number;
}

/**
 * The contents of the 128 bytes of a tensor map, which CUDA leaves opaque. The harness writes them,
 * and tensor copies read them. Sizes count elements, strides bytes; dimension 0 has no stride.
 */
export const tensorMapLayout: TensorMapLayout = Object.freeze({
  bytes: 128,
  align: 64,
  mark: 0,
  rank: 4,
  swizzle: 5,
  elementBytes: 6,
  type: 7,
  base: 8,
  sizes: 16,
  box: 36,
  strides: 56,
});

export const tensorMapMark: number = 0x4d545343;

/** The types of elements, in the order of `CUtensorMapDataType`. */
export const tensorMapTypes: readonly TensorMapType[] = Object.freeze([
  'u8',
  'u16',
  'u32',
  'i32',
  'u64',
  'i64',
  'f16',
  'f32',
  'f64',
  'bf16',
]);

export type TensorMapType = 'u8' | 'u16' | 'u32' | 'i32' | 'u64' | 'i64' | 'f16' | 'f32' | 'f64' | 'bf16';
