import { f32, harness, ncclDevComm, ncclWindow } from '@nccl-ts/harness';

/**
 * Launches RMSNormLSA of NCCL's example 07_kernel_fusion/01_rmsnorm_lsa: it normalizes in place,
 * with other data in each launch.
 */
export default harness({
  entry: 'RMSNormLSA',
  ranks: 2,
  grid: 1,
  block: 8,
  dynamicShared: 32,
  setup(rank) {
    const version = '2.30';
    const hidden = 16;
    const data = rank.alloc('data', f32, hidden * rank.nRanks, (i) => rank.rank + (i % hidden));
    const window = ncclWindow(rank, data, { version });
    const row = rank.ranks.reduce<number[]>(
      (sum, r) => sum.map((x, i) => x + r + i),
      Array.from({ length: hidden }, () => 0),
    );
    const scale = 1 / Math.sqrt(row.reduce((sum, x) => sum + x * x, 0) / hidden);
    return {
      args: [window, ncclDevComm(rank, { version, lsaBarriers: 1 }), rank.nRanks, hidden, 0],
      // The second launch gives the same result for data that is larger by a factor.
      between: () => data.write((i) => 2 * (rank.rank + (i % hidden))),
      expect: () => data.equals((i) => (row[i % hidden] ?? Number.NaN) * scale, { tolerance: 1e-5 }),
    };
  },
});
