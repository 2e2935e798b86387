import { bf16, harness, ptr, u32 } from '@nccl-ts/harness';

/** one_shot_all_reduce_bias_rms_norm_kernel of Kraken on 2 ranks, with the rank as an argument. */
export default harness({
  kernel: 'kraken-one-shot-rms-norm.ptx',
  entry: 'one_shot_all_reduce_bias_rms_norm_kernel',
  ranks: 2,
  grid: 4,
  block: 64,
  dynamicShared: 8,
  launches: 2,
  setup({ rank, alloc, peers, sum }) {
    const n = 256;
    const data0Memory = alloc('data0Memory', bf16, n);
    const data0 = alloc('data0', ptr, peers(data0Memory));
    const data1Memory = alloc('data1Memory', u32, 64);
    const data1 = alloc('data1', ptr, peers(data1Memory));
    const data2 = alloc('data2', bf16, n, (i) => rank + (i % 8));
    const data3 = alloc('data3', bf16, n);
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
