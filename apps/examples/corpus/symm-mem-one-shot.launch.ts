import { bf16, harness, ptr, u32 } from '@nccl-ts/harness';

/** one_shot_all_reduce_kernel of symm-mem-recipes on 2 ranks, with the rank as an argument. */
export default harness({
  kernel: 'symm-mem-one-shot.ptx',
  entry: 'one_shot_all_reduce_kernel',
  ranks: 2,
  grid: 4,
  block: 32,
  launches: 1,
  setup({ rank, alloc, peers, sum }) {
    const n = 1024;
    const data0Memory = alloc('data0Memory', bf16, n, (i) => rank + (i % 8));
    const data0 = alloc('data0', ptr, peers(data0Memory));
    const data1Memory = alloc('data1Memory', u32, 64);
    const data1 = alloc('data1', ptr, peers(data1Memory));
    const data2 = alloc('data2', bf16, n);
    return {
      args: [data0, data1, data2, rank, 0, 0],
      expect: () => data2.equals((i) => sum((r) => r + (i % 8))),
    };
  },
});
