import { harness, i32 } from '@nccl-ts/harness';

/** reduce_ring of NVSHMEM's example collective-launch, against the stand-in headers. */
export default harness({
  kernel: 'nvshmem-collective-launch.ptx',
  entry: 'reduce_ring',
  ranks: 2,
  grid: 1,
  block: 1,
  launches: 1,
  setup({ rank, nRanks, alloc, sum }) {
    const target = alloc('target', i32, 1);
    return {
      args: [target, rank, nRanks],
      expect: () => target.equals(() => sum((r) => r) + rank),
    };
  },
});
