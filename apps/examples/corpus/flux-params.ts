import { array, ptr, struct, u32 } from '@nccl-ts/harness';

/** CudaIpcBarrierAllArgs of Flux. */
export const BarrierArgs = struct({ sync: array(ptr, 32), rank: u32, worldSize: u32 });

/** A table of 32 pointers, the unused ones null. */
export function table<T>(pointers: readonly T[]): (T | null)[] {
  return Array.from({ length: 32 }, (_, i) => pointers[i] ?? null);
}
