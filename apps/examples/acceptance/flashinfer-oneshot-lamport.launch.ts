import { bf16, bytes, f32, harness, ptr, struct, u32 } from '@nccl-ts/harness';

const AllReduceFusionParams = struct({
  nranks: u32,
  rank: u32,
  size: u32,
  hidden_dim: u32,
  workspace: ptr,
  allreduce_in: ptr,
  allreduce_out: ptr,
  residual_in: ptr,
  residual_out: ptr,
  norm_out: ptr,
  quant_out: bytes(16, 8),
  rms_gamma: ptr,
  rms_eps: f32,
  weight_bias: f32,
  rest: bytes(40, 8),
});

/**
 * FlashInfer's one-shot AllReduce with residual and RMS norm, on 4 ranks. Negative zero means that
 * the data has not arrived. With 512 as `count` and 64 as `block` it has two warps, so its barriers
 * matter.
 */
export default harness({
  kernel: 'fusion.ptx',
  entry: 'allreduce_fusion_kernel_oneshot_lamport',
  ranks: 4,
  grid: 1,
  block: 2,
  launches: 4,
  setup({ rank, ranks, alloc, peer }) {
    const count = 16;
    const value = (i: number): number => ranks.reduce((sum, r) => sum + r + (i % 16), 1);
    const mean = Array.from({ length: count }, (_, i) => value(i) ** 2 / count).reduce((sum, one) => sum + one);
    const norm = alloc('norm_out', bf16, count);
    const residual = alloc('residual_out', bf16, count);
    const buffers = alloc('lamport', bf16, 3 * 4 * count, () => -0);
    const counters = alloc('counters', u32, [0, 0, 0, 2 * 4 * count, 0]);
    const none = ranks.map(() => null);
    const params = AllReduceFusionParams({
      nranks: 4,
      rank,
      size: count,
      hidden_dim: count,
      workspace: alloc('workspace', ptr, [...none, ...none, ...ranks.map((r) => peer(buffers, r)), counters]),
      allreduce_in: alloc('allreduce_in', bf16, count, (i) => rank + (i % 16)),
      residual_in: alloc('residual_in', bf16, count, () => 1),
      residual_out: residual,
      norm_out: norm,
      rms_gamma: alloc('rms_gamma', bf16, count, () => 2),
    });
    return {
      args: [params],
      expect: () => [residual.equals(value), norm.equals((i) => (2 * value(i)) / Math.sqrt(mean), { tolerance: 0.01 })],
    };
  },
});
