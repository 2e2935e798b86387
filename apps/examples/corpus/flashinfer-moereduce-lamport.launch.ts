import { bytes, f16, f32, harness, ptr, struct, u32 } from '@nccl-ts/harness';

/** The 152 bytes of parameter 0: fields that the kernel reads have a type. */
const Param0 = struct({
  gap0: bytes(4),
  rank: u32,
  size: u32,
  hidden_dim: u32,
  workspace: ptr,
  gap24: bytes(16),
  residual_in: ptr,
  residual_out: ptr,
  norm_out: ptr,
  gap64: bytes(16),
  rms_gamma: ptr,
  rms_eps: f32,
  weight_bias: f32,
  gap96: bytes(16),
  moe_allreduce_out: ptr,
  moe_reduction_device_num_experts: u32,
  gap124: bytes(4),
  moe_reduction_scale_input: ptr,
  moe_reduction_active_experts_token_input: ptr,
  moe_reduction_token_input: ptr,
});

/** moereduce_allreduce_fusion_kernel_oneshot_lamport<half, 2, true, true, true, false>. */
export default harness({
  kernel: 'flashinfer-moe-all-reduce.ptx',
  entry: 'moereduce_allreduce_fusion_kernel_oneshot_lamport',
  ranks: 2,
  grid: 2,
  block: 2,
  launches: 4,
  setup({ rank, ranks, nRanks, alloc, peers, sum }) {
    const n = 32;
    const lamport = alloc('lamport', f16, 3 * nRanks * n, () => -0);
    const counters = alloc('counters', u32, [0, 0, 0, 2 * nRanks * n, 0]);
    const workspace = alloc('workspace', ptr, [...ranks.flatMap(() => [null, null]), ...peers(lamport), counters]);
    const residual_in = alloc('residual_in', f16, n, () => 1);
    const residual_out = alloc('residual_out', f16, n);
    const norm_out = alloc('norm_out', f16, n);
    const rms_gamma = alloc('rms_gamma', f16, 16, () => 1);
    const moe_allreduce_out = alloc('moe_allreduce_out', f16, n);
    const moe_reduction_scale_input = alloc('moe_reduction_scale_input', f32, 4, (i) => (i < 2 ? 0.5 : 1));
    const moe_reduction_active_experts_token_input = alloc(
      'moe_reduction_active_experts_token_input',
      f16,
      2 * n,
      (i) => rank + (i < n ? i % 8 : i % 4),
    );
    const moe_reduction_token_input = alloc('moe_reduction_token_input', f16, n, () => 1);
    const total = (i: number) => sum((r) => 0.5 * (r + (i % 8)) + (r + (i % 4)) + 1);
    return {
      args: [
        Param0({
          rank,
          size: n,
          hidden_dim: 16,
          workspace,
          residual_in,
          residual_out,
          norm_out,
          rms_gamma,
          rms_eps: 0,
          weight_bias: 0,
          moe_allreduce_out,
          moe_reduction_device_num_experts: 2,
          moe_reduction_scale_input,
          moe_reduction_active_experts_token_input,
          moe_reduction_token_input,
        }),
      ],
      expect: () => [moe_allreduce_out.equals(total), residual_out.equals((i) => 1 + total(i))],
    };
  },
});
