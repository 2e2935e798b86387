import { array, bytes, i32, ptr, struct, u64 } from '@nccl-ts/harness';
import type { Pointer } from '@nccl-ts/harness';

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
export const global = (raw: Pointer, elements = 0) => ({
  raw,
  extents: [1n, 1n, 1n, BigInt(elements)],
  descriptors: new Uint8Array(8),
});
