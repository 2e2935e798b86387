import {
  alignedTo,
  array,
  customAllReduce,
  f16,
  harness,
  ptr,
  struct,
  u64,
  type Allocation,
  type RankSetup,
} from '@nccl-ts/harness';
import { inputAt, partsOf, sizesUpTo, type PublicKernel } from '../public-kernel.ts';

/** The ranks and channels for which turbomind's tables have room. */
const [MOST_RANKS, CHANNELS] = [8, 64];

const SemaphoreInfo = struct({
  outbound: array(ptr, CHANNELS * MOST_RANKS),
  inbound: array(ptr, CHANNELS * MOST_RANKS),
  expected: array(u64, CHANNELS * MOST_RANKS),
});

/** The table of semaphores of turbomind's kernels. All channels have one, as many as are used. */
function semaphoresOf({
  rank,
  nRanks,
  alloc,
  peer,
}: Pick<RankSetup, 'rank' | 'nRanks' | 'alloc' | 'peer'>): Allocation {
  const words = alloc('semaphores', u64, CHANNELS * MOST_RANKS, () => 0);
  const each = (of: (channel: number, r: number) => ReturnType<typeof peer>) =>
    Array.from({ length: CHANNELS * MOST_RANKS }, (_, i) => {
      const [channel, r] = [Math.floor(i / MOST_RANKS), i % MOST_RANKS];
      return r < nRanks ? of(channel, r) : null;
    });
  return alloc('semaphore_info', SemaphoreInfo, [
    {
      outbound: each((channel, r) => peer(words, r, 8 * (channel * MOST_RANKS + rank))),
      inbound: each((channel, r) => peer(words, rank, 8 * (channel * MOST_RANKS + r))),
      expected: Array.from({ length: CHANNELS * MOST_RANKS }, () => 0),
    },
  ]);
}

const turbomindPull: PublicKernel = {
  name: 'lmdeploy-pull',
  source: 'LMDeploy: Allreduce_Simple_Pull<half, 8>, 1024 threads, at most 48 CTAs',
  sizes: sizesUpTo(16 << 20),
  harness: (bytes) => {
    const slice = bytes / 16 / 2;
    return harness({
      kernel: 'lmdeploy-all-reduce.ptx',
      entry: 'Allreduce_Simple_Pull',
      ranks: 2,
      grid: Math.min(48, partsOf(slice, 1024)),
      block: 1024,
      launches: 1,
      setup({ rank, nRanks, alloc, peer, peers, sum }) {
        const data = alloc('chns', f16, bytes / 2, (i) => inputAt(rank, i));
        const info = semaphoresOf({ rank, nRanks, alloc, peer });
        const none = new Uint8Array(1);
        return {
          args: [data, array(ptr, 8)(peers(data)), info, rank, nRanks, slice, slice * nRanks, none, none],
          expect: () => data.equals((i) => sum((r) => inputAt(r, i))),
        };
      },
    });
  },
};

/** LMDeploy's AllGather. Sizes are those of a rank's part. */
export const turbomindGather: PublicKernel = {
  name: 'lmdeploy-gather',
  source: 'LMDeploy: Allgather_Simple_Pull<uint4>, 1024 threads, at most 32 CTAs',
  sizes: sizesUpTo(4 << 20),
  harness: (bytes) => {
    const slice = bytes / 16;
    return harness({
      kernel: 'lmdeploy-allgather.ptx',
      entry: 'Allgather_Simple_Pull<uint4, std::integral_constant<bool, false>>',
      ranks: 2,
      grid: Math.min(32, partsOf(slice, 1024)),
      block: 1024,
      launches: 1,
      setup({ rank, nRanks, alloc, peer, peers }) {
        const count = bytes / 2;
        const data = alloc('uc', f16, nRanks * count, (i) =>
          Math.floor(i / count) === rank ? inputAt(rank, i % count) : 0,
        );
        const info = semaphoresOf({ rank, nRanks, alloc, peer });
        return {
          args: [array(ptr, 8)(peers(data)), info, rank, nRanks, slice, new Uint8Array(1)],
          expect: () => data.equals((i) => inputAt(Math.floor(i / count), i % count)),
        };
      },
    });
  },
};

const ulysses: PublicKernel = {
  name: 'flashinfer-ulysses',
  source: 'FlashInfer: ulysses_a2a_kernel<half, 2, 0>, heads of 64',
  sizes: sizesUpTo(16 << 20),
  harness: (bytes) => {
    const count = bytes / 2;
    // One batch, `rows` positions of 4 heads, and 64 elements of each head.
    const rows = count / (4 * 64);
    return harness({
      kernel: 'flashinfer-ulysses.ptx',
      entry: 'ulysses_a2a_kernel<__half, 2, 0>',
      ranks: 2,
      grid: Math.min(36, partsOf(bytes / 16, 512)),
      block: 512,
      launches: 1,
      setup({ rank, ranks, alloc, peer, peers }) {
        const input = alloc('local_in', f16, count, (i) => inputAt(rank, i));
        const output = alloc('out_ptrs', f16, count);
        const { rankSignals, signal } = customAllReduce({ ranks, alloc, peer }, { input: output, signal: 'counters' });
        return {
          args: [input, alignedTo(array(ptr, 8), 16)(peers(output)), rankSignals, signal, rank, 1, rows, 2, 64, 0],
          // Each half comes from one rank.
          expect: () =>
            [0, 1].map((r) => output.equals((i) => inputAt(r, i), { from: (r * count) / 2, count: count / 2 })),
        };
      },
    });
  },
};

/** Kernels of further code bases. */
export const further: readonly PublicKernel[] = [turbomindPull, ulysses];
