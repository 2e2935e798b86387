import { ptr, u32 } from '@nccl-ts/harness';
import type { Allocation, RankSetup } from '@nccl-ts/harness';

/**
 * The last arguments of SGLang's Inkling kernels, but for the sizes: flags, state and shared
 * experts.
 */
export function inklingBarrier({ ranks, nRanks, alloc, peer }: RankSetup): readonly [Allocation, Allocation, null] {
  const flags = alloc('flags', u32, nRanks * 257, () => 0);
  const pointers = alloc(
    'flag_pointers',
    ptr,
    ranks.map((r) => peer(flags, r)),
  );
  return [pointers, alloc('state', u32, 264, () => 0), null];
}
