import { customAllReduce, f16, harness } from '@nccl-ts/harness';

/** vLLM's custom AllReduce on 2 ranks: a reduce-scatter and then an all-gather. */
export default harness({
  kernel: 'vllm.ptx',
  entry: 'cross_device_reduce_2stage<__half, 2>',
  ranks: 2,
  grid: 1,
  block: 32,
  launches: 2,
  setup({ rank, ranks, nRanks, alloc, peer }) {
    const count = 8 * nRanks;
    const input = alloc('input', f16, count, (i) => rank + (i % 8));
    const result = alloc('result', f16, count);
    const { rankData, rankSignals, signal } = customAllReduce(
      { ranks, alloc, peer },
      { input, signal: 'counters', scratchBytes: count * f16.bytes },
    );
    return {
      // Packs of 16 bytes.
      args: [rankData, rankSignals, signal, result, rank, (count * f16.bytes) / 16],
      expect: () => result.equals((i) => ranks.reduce((sum, r) => sum + r + (i % 8), 0)),
    };
  },
});
