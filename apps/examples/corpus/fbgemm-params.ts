import { array, ptr, struct } from '@nccl-ts/harness';
import type { Pointer } from '@nccl-ts/harness';

const Pointers = struct({ pointers: array(ptr, 8) });

/** std::array of 8 pointers, the unused ones null. */
export const pointers = (ofRanks: readonly Pointer[]) =>
  Pointers({ pointers: Array.from({ length: 8 }, (_, r) => ofRanks[r] ?? null) });
