import { bf16, harness, ptr, u32 } from '@nccl-ts/harness';

/** two_shot_all_reduce_kernel of Kraken on 2 ranks, with one warp and the rank as an argument. */
export default harness({
  kernel: 'kraken-two-shot.ptx',
  entry: 'two_shot_all_reduce_kernel',
  ranks: 2,
  grid: 2,
  block: 32,
  dynamicShared: 512,
  launches: 2,
  setup({ rank, alloc, peers, sum }) {
    const n = 512;
    const data0Memory = alloc('data0Memory', bf16, n);
    const data0 = alloc('data0', ptr, peers(data0Memory));
    const data1Memory = alloc('data1Memory', u32, 64);
    const data1 = alloc('data1', ptr, peers(data1Memory));
    const data2 = alloc('data2', bf16, n, (i) => rank + (i % 8));
    const data3 = alloc('data3', bf16, n);
    return {
      args: [data0, data1, data2, data3, n, rank, 0, 0],
      expect: () => data3.equals((i) => sum((r) => r + (i % 8))),
    };
  },
});
