import { expectInteger, showValue } from '@nccl-ts/core';
import { tensorMapLayout, tensorMapMark, tensorMapTypes, type TensorMapType } from '@nccl-ts/ptx';
import { invalid, memoryType, type MemoryType } from './memory/memory-type.ts';
import type { Address } from './memory/pointer.ts';
import { pointerOf } from './scalar-types.ts';

/** The arguments of `cuTensorMapEncodeTiled`. The innermost dimension is first. */
export interface TensorMapValue {
  /** The first element, at a multiple of 16 bytes. */
  readonly base: Address;
  /** The type of the elements. */
  readonly type: TensorMapType;
  /** The number of elements in each of 1 to 5 dimensions: `globalDim`. */
  readonly shape: readonly number[];
  /**
   * The distances in bytes of all dimensions but the first, multiples of 16: `globalStrides`.
   *
   * @default those of a tensor without gaps
   */
  readonly strides?: readonly number[];
  /** The elements of a copy in each dimension, at most 256: `boxDim`. */
  readonly box: readonly number[];
  /** The exchange of 16-byte parts in shared memory. @default 'none' */
  readonly swizzle?: TensorMapSwizzle;
}

export type TensorMapSwizzle = 'none' | '32B' | '64B' | '128B';

const elementBytes: Readonly<Record<TensorMapType, number>> = {
  u8: 1,
  u16: 2,
  u32: 4,
  i32: 4,
  u64: 8,
  i64: 8,
  f16: 2,
  f32: 4,
  f64: 8,
  bf16: 2,
};

const swizzles: readonly TensorMapSwizzle[] = ['none', '32B', '64B', '128B'];

/**
 * The type of a tensor map (`CUtensorMap`, 128 bytes), for parameters and memory of kernels that
 * copy by TMA. Its contents are the simulator's own, so maps that a driver made do not fit.
 * Elements outside of the tensor are read as zeros. Interleaved layouts, im2col and steps between
 * elements are not supported.
 *
 * @example
 * args: [tensorMap({ base: x, type: 'bf16', shape: [64, 128], box: [64, 16], swizzle: '128B' })],
 */
export const tensorMap: MemoryType<TensorMapValue> = /* @__PURE__ */ memoryType<TensorMapValue>({
  typeName: 'tensorMap',
  bytes: tensorMapLayout.bytes,
  align: tensorMapLayout.align,
  encode: (into, at, value, what) => {
    const map = checked(value, what);
    const { view } = into;
    view.setUint32(at + tensorMapLayout.mark, tensorMapMark, true);
    view.setUint8(at + tensorMapLayout.rank, map.shape.length);
    view.setUint8(at + tensorMapLayout.swizzle, swizzles.indexOf(map.swizzle));
    view.setUint8(at + tensorMapLayout.elementBytes, elementBytes[map.type]);
    view.setUint8(at + tensorMapLayout.type, tensorMapTypes.indexOf(map.type));
    const base = pointerOf(map.base, `${what}.base`);
    if (base === null) throw invalid(`${what}.base must be memory; given null.`);
    into.pointer(at + tensorMapLayout.base, base);
    map.shape.forEach((size, k) => view.setUint32(at + tensorMapLayout.sizes + 4 * k, size, true));
    map.box.forEach((size, k) => view.setUint32(at + tensorMapLayout.box + 4 * k, size, true));
    map.strides.forEach((stride, k) => view.setBigUint64(at + tensorMapLayout.strides + 8 * k, BigInt(stride), true));
  },
});

/** @throws NcclError if CUDA would refuse the map. */
function checked(value: unknown, what: string): Required<TensorMapValue> {
  if (!isMap(value)) {
    throw invalid(`${what} must be an object with base, type, shape and box; given ${showValue(value)}.`);
  }
  const { base, type, shape, box, swizzle = 'none' } = value;
  if (!tensorMapTypes.includes(type)) {
    throw invalid(`${what}.type must be one of ${tensorMapTypes.join(', ')}; given ${showValue(type)}.`);
  }
  if (!swizzles.includes(swizzle)) {
    throw invalid(`${what}.swizzle must be one of ${swizzles.join(', ')}; given ${showValue(swizzle)}.`);
  }
  if (shape.length < 1 || shape.length > 5 || box.length !== shape.length) {
    throw invalid(`${what}: shape has ${shape.length} and box ${box.length} dimensions; both need the same 1 to 5.`);
  }
  shape.forEach((size, k) => expectInteger(`${what}.shape[${k}]`, size, 1, 2 ** 32 - 1));
  box.forEach((size, k) => expectInteger(`${what}.box[${k}]`, size, 1, 256));
  const bytes = elementBytes[type];
  const strides = value.strides ?? denseStrides(shape, bytes);
  if (strides.length !== shape.length - 1) {
    throw invalid(`${what}.strides has ${strides.length} numbers; it needs one for each dimension after the first.`);
  }
  strides.forEach((stride, k) => {
    expectInteger(`${what}.strides[${k}]`, stride, 16, 2 ** 40);
    if (stride % 16 !== 0) throw invalid(`${what}.strides[${k}] must be a multiple of 16 bytes; given ${stride}.`);
  });
  const [row = 0] = box;
  const width = row * bytes;
  if (width % 16 !== 0) throw invalid(`${what}.box[0] must be a multiple of 16 bytes; given ${width} bytes.`);
  const most = swizzle === 'none' ? Number.POSITIVE_INFINITY : Number.parseInt(swizzle, 10);
  if (width > most) throw invalid(`${what}.box[0] has ${width} bytes; with swizzle ${swizzle} it has at most ${most}.`);
  return { base, type, shape, box, strides, swizzle };
}

function denseStrides(shape: readonly number[], bytes: number): readonly number[] {
  let stride = bytes;
  return shape.slice(0, -1).map((size) => (stride *= size));
}

function isMap(value: unknown): value is TensorMapValue {
  if (typeof value !== 'object' || value === null) return false;
  if (!('base' in value && 'type' in value && 'shape' in value && 'box' in value)) return false;
  return Array.isArray(value.shape) && Array.isArray(value.box);
}
