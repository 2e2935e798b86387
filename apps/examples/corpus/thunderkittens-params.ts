import { array, bytes, i32, ptr, struct, tensorMap, u64 } from '@nccl-ts/harness';
import type { Address, Pointer } from '@nccl-ts/harness';

/** kittens::gl: a pointer, its four extents, and no descriptors. */
const Global = struct({ raw: ptr, extents: array(u64, 4), descriptors: bytes(8, 8) });

/** kittens::pgl of 8 devices, with a multicast address, and the number of the device. */
export const BarrierGlobals = struct({
  multicast: ptr,
  globals: array(Global, 8),
  unused: ptr,
  device: i32,
  padding: i32,
});

/** A kittens::gl of one row. */
export const global = (raw: Pointer, elements = 0, depth = 1) => ({
  raw,
  extents: [1n, BigInt(depth), 1n, BigInt(elements)],
  descriptors: new Uint8Array(8),
});

/** kittens::gl of rows and columns, with the descriptor of a tile. */
export const Matrix = struct({
  raw: ptr,
  fixed: bytes(8),
  rows: u64,
  columns: u64,
  gap: bytes(96),
  descriptor: tensorMap,
  end: bytes(128),
});

/** A matrix of bf16. Its tiles have parts of 64 columns, with a swizzle of 128 bytes. */
export const matrix = (raw: Address, [rows, columns]: Extents, [height, width]: Extents) => ({
  raw,
  rows,
  columns,
  descriptor: {
    base: raw,
    type: 'bf16' as const,
    shape: [64, rows, columns / 64, 1, 1],
    strides: [2 * columns, 128, 2 * rows * columns, 2 * rows * columns],
    box: [64, height, width / 64, 1, 1],
    swizzle: '128B' as const,
  },
});

type Extents = readonly [rows: number, columns: number];
