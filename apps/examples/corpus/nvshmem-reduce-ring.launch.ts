import { harness, i32 } from '@nccl-ts/harness';

/** reduce_ring of NVSHMEM's example collective-launch, against the stand-in headers. */
export default harness({
  kernel: 'nvshmem-collective-launch.ptx',
  entry: 'reduce_ring',
  ranks: 2,
  grid: 1,
  block: 1,
  launches: 1,
  setup({ rank, ranks, nRanks, alloc }) {
    const target = alloc('target', i32, 1, () => 0);
    return {
      args: [target, rank, nRanks],
      // In round i a rank holds the sum of the last i + 1 ranks, and its own comes twice at the
      // end.
      expect: () => target.equals(() => ranks.reduce((sum, r) => sum + r, rank)),
    };
  },
});
