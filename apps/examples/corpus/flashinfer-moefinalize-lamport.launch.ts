import { bytes, f16, f32, harness, i32, ptr, struct, u32 } from '@nccl-ts/harness';

/** The 160 bytes of parameter 0: fields that the kernel reads have a type. */
const Param0 = struct({
  gap0: bytes(4),
  rank: u32,
  size: u32,
  hidden_dim: u32,
  workspace: ptr,
  allreduce_in: ptr,
  gap32: bytes(8),
  residual_in: ptr,
  residual_out: ptr,
  norm_out: ptr,
  gap64: bytes(16),
  rms_gamma: ptr,
  rms_eps: f32,
  weight_bias: f32,
  gap96: bytes(24),
  top_k: u32,
  gap124: bytes(4),
  expert_scale_factor: ptr,
  shared_expert_output: ptr,
  expanded_idx_to_permuted_idx: ptr,
  routed_scaling_factor: f32,
  gap156: bytes(4),
});

/**
 * moefinalize_allreduce_fusion_kernel_oneshot_lamport<half, 2, true, true, false> of FlashInfer.
 */
export default harness({
  kernel: 'flashinfer-moe-all-reduce.ptx',
  entry: 'moefinalize_allreduce_fusion_kernel_oneshot_lamport',
  ranks: 2,
  grid: 2,
  block: 2,
  launches: 4,
  setup({ rank, ranks, nRanks, alloc, peers, sum }) {
    const n = 32;
    const lamport = alloc('lamport', f16, 3 * nRanks * n, () => -0);
    const counters = alloc('counters', u32, [0, 0, 0, 2 * nRanks * n, 0]);
    const workspace = alloc('workspace', ptr, [...ranks.flatMap(() => [null, null]), ...peers(lamport), counters]);
    const allreduce_in = alloc('allreduce_in', f16, 2 * n, (i) => rank + (i % 8));
    const residual_in = alloc('residual_in', f16, n, () => 1);
    const residual_out = alloc('residual_out', f16, n);
    const norm_out = alloc('norm_out', f16, n);
    const rms_gamma = alloc('rms_gamma', f16, 16, () => 1);
    const expanded_idx_to_permuted_idx = alloc('expanded_idx_to_permuted_idx', i32, 4, (i) => i);
    return {
      args: [
        Param0({
          rank,
          size: n,
          hidden_dim: 16,
          workspace,
          allreduce_in,
          residual_in,
          residual_out,
          norm_out,
          rms_gamma,
          rms_eps: 0,
          weight_bias: 0,
          top_k: 2,
          expanded_idx_to_permuted_idx,
          routed_scaling_factor: 1,
        }),
      ],
      expect: () => residual_out.equals((i) => 1 + sum((r) => 2 * (r + (i % 8)))),
    };
  },
});
