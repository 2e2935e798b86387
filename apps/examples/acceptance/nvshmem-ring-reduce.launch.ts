import { harness, i32, u64 } from '@nccl-ts/harness';

/** ring_reduce of NVSHMEM's examples, compiled against the stand-in headers. */
export default harness({
  entry: 'ring_reduce',
  ranks: 2,
  grid: 1,
  block: 4,
  launches: 1,
  setup({ rank, ranks, alloc }) {
    const count = 16;
    const result = alloc('dst', i32, count);
    const source = alloc('src', i32, count, (i) => rank + i);
    const signal = alloc('signal', u64, 1);
    return {
      args: [result, source, count, signal, 32],
      expect: () => result.equals((i) => ranks.reduce((sum, r) => sum + r + i, 0)),
    };
  },
});
