import { harness, i32 } from '@nccl-ts/harness';

/** simple_shift of NVSHMEM's example dev-guide-ring, against the stand-in headers. */
export default harness({
  kernel: 'nvshmem-dev-guide-ring.ptx',
  entry: 'simple_shift',
  ranks: 2,
  grid: 1,
  block: 1,
  launches: 1,
  setup({ rank, nRanks, alloc }) {
    const n = 1024;
    const destination = alloc('destination', i32, n, (i) => rank + (i % 8));
    return {
      args: [destination],
      expect: () => destination.equals(() => (rank + nRanks - 1) % nRanks, { count: 1 }),
    };
  },
});
