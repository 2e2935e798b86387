import { harness, i32, u64 } from '@nccl-ts/harness';

/** ring_bcast of NVSHMEM's examples, compiled against the stand-in headers. */
export default harness({
  entry: 'ring_bcast',
  ranks: 2,
  grid: 1,
  block: 1,
  launches: 1,
  setup({ rank, alloc }) {
    const count = 8;
    const data = alloc('data', i32, count, (i) => rank + i);
    return { args: [data, count, 0, alloc('psync', u64, 1)], expect: () => data.equals((i) => i) };
  },
});
