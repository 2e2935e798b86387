import type { Allocation } from '../memory/allocation.ts';
import type { RankSetup } from '../rank-setup.ts';
import { i32, ptr, u8 } from '../scalar-types.ts';

/** The arguments of intranode kernels of DeepEP. */
export interface DeepEpBuffers {
  /** `void **buffer_ptrs`: in memory, the addresses of the ranks' buffers. */
  readonly bufferPtrs: Allocation;
  /** `int **barrier_signal_ptrs`: in memory, the addresses of the ranks' barrier signals. */
  readonly barrierSignalPtrs: Allocation;
  /** The rank's own buffer. */
  readonly buffer: Allocation<number | bigint>;
  /** One signal for each peer, initially zero. */
  readonly barrierSignals: Allocation<number | bigint>;
}

/** The number of peers on one node. */
const MOST_PEERS = 8;

/**
 * The buffers that DeepEP's intranode kernels share among the ranks of a node, with the tables of
 * their addresses.
 *
 * @example
 * setup(setup) {
 *   const { barrierSignalPtrs } = deepEpBuffers(setup, { bytes: 4096 });
 *   // barrier<kNumRanks>(int **barrier_signal_ptrs, int rank)
 *   return { args: [barrierSignalPtrs, setup.rank] };
 * }
 */
export function deepEpBuffers(
  { ranks, alloc, peer }: Pick<RankSetup, 'ranks' | 'alloc' | 'peer'>,
  {
    /** The size of each rank's buffer. */
    bytes,
  }: { readonly bytes: number },
): DeepEpBuffers {
  const buffer = alloc('buffer', u8, bytes);
  const barrierSignals = alloc('barrier signals', i32, MOST_PEERS);
  return {
    buffer,
    barrierSignals,
    bufferPtrs: alloc('buffer_ptrs', ptr, MOST_PEERS, (i) => (ranks.includes(i) ? peer(buffer, i) : null)),
    barrierSignalPtrs: alloc('barrier_signal_ptrs', ptr, MOST_PEERS, (i) =>
      ranks.includes(i) ? peer(barrierSignals, i) : null,
    ),
  };
}
