import { bf16, harness, ptr, u32 } from '@nccl-ts/harness';

/** two_shot_all_reduce_bias_rms_norm_kernel of Kraken, with the rank as an argument. */
/** Triton specialises on the number of ranks, and each number has its own PTX. */
const ranks: 2 | 4 = 2;

export default harness({
  kernel: `kraken-two-shot-rms-norm-${ranks}.ptx`,
  entry: 'two_shot_all_reduce_bias_rms_norm_kernel',
  ranks,
  grid: 2 * ranks,
  block: 64,
  dynamicShared: 8,
  launches: 2,
  setup({ rank, nRanks, alloc, peers, sum }) {
    const n = 128 * nRanks;
    const data0Memory = alloc('data0Memory', bf16, n + 64 / nRanks);
    const data0 = alloc('data0', ptr, peers(data0Memory));
    const data1Memory = alloc('data1Memory', u32, 64);
    const data1 = alloc('data1', ptr, peers(data1Memory));
    const data2 = alloc('data2', bf16, n, (i) => rank + (i % 8));
    const data3 = alloc('data3', bf16, n + 64 / nRanks);
    const data4 = alloc('data4', bf16, 64, () => 1);
    const data5 = alloc('data5', bf16, n);
    const total = (i: number) => sum((r) => r + (i % 8));
    const rms = Math.sqrt(Array.from({ length: 64 }, (_, i) => total(i) ** 2).reduce((a, b) => a + b) / 64);
    return {
      args: [data0, data1, data2, data3, data4, data5, rank, 0, 0],
      expect: () => data5.equals((i) => total(i) / rms, { tolerance: 0.02 }),
    };
  },
});
