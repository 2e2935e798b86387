import { FRAME_BYTES } from '../program/frame-bytes.ts';
import type { WasmType } from './opcodes.ts';

/** The layout of its fault record: the thread, and up to five 8-byte values. */
export const faultRecord = { thread: 0, values: [8, 16, 24, 32, 40] } as const;

/** JavaScript's arrays for elements that generated code stores, and how it accesses an element. */
export type FrameArray =
  | 'Uint8Array'
  | 'Int32Array'
  | 'Uint32Array'
  | 'BigInt64Array'
  | 'BigUint64Array'
  | 'Float32Array'
  | 'Float64Array';

export const frameElements: Readonly<
  Record<FrameArray, { readonly view: string; readonly bytes: 1 | 4 | 8; readonly type: WasmType }>
> = {
  Uint8Array: { view: 'u8', bytes: 1, type: 'i32' },
  Int32Array: { view: 'i32', bytes: 4, type: 'i32' },
  Uint32Array: { view: 'u32', bytes: 4, type: 'i32' },
  BigInt64Array: { view: 'i64', bytes: 8, type: 'i64' },
  BigUint64Array: { view: 'u64', bytes: 8, type: 'i64' },
  Float32Array: { view: 'f32', bytes: 4, type: 'f32' },
  Float64Array: { view: 'f64', bytes: 8, type: 'f64' },
};

/** A part of the frame. */
export interface FramePart {
  readonly offset: number;
  readonly array: FrameArray;
}

/** The layout of the frame while one function runs. */
export class FrameLayout {
  #end = 64;

  /** Reserves space for `count` elements. Returns `undefined` if there is none left. */
  allocate(array: FrameArray, count: number): FramePart | undefined {
    const { bytes } = frameElements[array];
    const offset = Math.ceil(this.#end / 16) * 16;
    if (offset + bytes * count > FRAME_BYTES) return undefined;
    this.#end = offset + bytes * count;
    return { offset, array };
  }
}
