import { f32, harness, u32 } from '@nccl-ts/harness';

/** all_reduce_norm_barrier_kernel of NVIDIA's multi-gpu-programming-models, by multimem. */
export default harness({
  kernel: 'multi-gpu-jacobi.ptx',
  entry: 'all_reduce_norm_barrier_kernel',
  ranks: 2,
  grid: 1,
  block: 1,
  launches: 1,
  setup({ rank, nRanks, alloc, sum, multicast }) {
    const l2_norm = alloc('l2_norm', f32, 1);
    const partial_l2_norm_uc = alloc('partial_l2_norm_uc', u32, [
      new Uint32Array(Float32Array.of(rank + 4).buffer)[0] ?? 0,
      0,
    ]);
    return {
      args: [l2_norm, partial_l2_norm_uc, multicast(partial_l2_norm_uc), nRanks],
      expect: () => l2_norm.equals([Math.sqrt(sum((r) => r + 4))], { tolerance: 1e-6 }),
    };
  },
});
