import { array, bytes, i32, ptr, struct } from '@nccl-ts/harness';
import type { Pointer } from '@nccl-ts/harness';

/** kittens::gl: a pointer and its extents. */
const Global = struct({ raw: ptr, extents: bytes(40, 8) });

/** kittens::pgl of 8 devices, with a multicast address, and the number of the device. */
export const BarrierGlobals = struct({
  multicast: ptr,
  globals: array(Global, 8),
  unused: ptr,
  device: i32,
  padding: i32,
});

/** A kittens::gl without extents. */
export const global = (raw: Pointer) => ({ raw, extents: new Uint8Array(40) });
