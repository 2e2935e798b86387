import type { Allocation } from '../memory/allocation.ts';
import type { RankSetup } from '../rank-setup.ts';
import type { Pointer } from '../memory/pointer.ts';
import { ptr, u32 } from '../scalar-types.ts';

/** The arguments that PyTorch's symmetric memory passes to kernels. */
export interface SymmetricMemory {
  /** `buffer_ptrs_dev`: in memory, the addresses of the ranks' buffers. */
  readonly bufferPtrs: Allocation;
  /** `signal_pad_ptrs_dev`: in memory, the addresses of the ranks' signal pads. */
  readonly signalPadPtrs: Allocation;
  /** The rank's own signal pad. It has 32-bit words, initially zero. */
  readonly signalPad: Allocation<number | bigint>;
  /** `multicast_ptr`, or null if there is no multicast. */
  readonly multicastPtr: Pointer | null;
}

export interface SymmetricMemoryOptions {
  /** The symmetric tensor. */
  readonly buffer: Allocation;
  /** The number of words of each rank's signal pad. @default 512, which is 2 KiB */
  readonly signalPadWords?: number;
  /** True if there is a multicast address. @default true */
  readonly multicast?: boolean;
}

/**
 * Makes the tables of PyTorch's symmetric memory over one buffer: `buffer_ptrs_dev`,
 * `signal_pad_ptrs_dev` and `multicast_ptr`.
 *
 * @example
 * setup(setup) {
 *   const buffer = setup.alloc('buffer', bf16, 1024, (i) => setup.rank + i);
 *   const { bufferPtrs, signalPadPtrs, multicastPtr } = symmetricMemory(setup, { buffer });
 *   return { args: [bufferPtrs, signalPadPtrs, 0, 1024, setup.rank, setup.nRanks, multicastPtr] };
 * }
 */
export function symmetricMemory(
  { ranks, alloc, peer, multicast: multicastOf }: Pick<RankSetup, 'ranks' | 'alloc' | 'peer' | 'multicast'>,
  { buffer, signalPadWords = 512, multicast = true }: SymmetricMemoryOptions,
): SymmetricMemory {
  const signalPad = alloc('signal pad', u32, signalPadWords);
  return {
    signalPad,
    bufferPtrs: alloc(
      'buffer_ptrs_dev',
      ptr,
      ranks.map((r) => peer(buffer, r)),
    ),
    signalPadPtrs: alloc(
      'signal_pad_ptrs_dev',
      ptr,
      ranks.map((r) => peer(signalPad, r)),
    ),
    multicastPtr: multicast ? multicastOf(buffer) : null,
  };
}
