import { f32, harness, u32 } from '@nccl-ts/harness';

/** all_reduce_norm_barrier_kernel of NVIDIA's multi-gpu-programming-models, by multimem. */
export default harness({
  kernel: 'multi-gpu-jacobi.ptx',
  entry: 'all_reduce_norm_barrier_kernel',
  ranks: 2,
  grid: 1,
  block: 1,
  launches: 1,
  setup({ rank, ranks, nRanks, alloc, multicast }) {
    const norm = alloc('norm', f32, 1);
    // A float and, after it, the arrival counter.
    const pair = alloc('pair', u32, [new Uint32Array(Float32Array.of(rank + 4).buffer)[0] ?? 0, 0]);
    return {
      args: [norm, pair, multicast(pair), nRanks],
      expect: () => norm.equals([Math.sqrt(ranks.reduce((sum, r) => sum + r + 4, 0))], { tolerance: 1e-6 }),
    };
  },
});
