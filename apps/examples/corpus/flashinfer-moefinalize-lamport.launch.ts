import { f16, harness, i32, ptr, u32 } from '@nccl-ts/harness';
import { MoeFinalizeParams } from './flashinfer-params.ts';

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
  setup({ rank, ranks, nRanks, alloc, peer }) {
    const [hidden, tokens, topK] = [16, 2, 2];
    const n = hidden * tokens;
    // Each token takes two rows of one expert, at scales of 1.
    const partial = (r: number, i: number) => 2 * (r + (i % 8));
    const sum = (i: number) => ranks.reduce((total, r) => total + partial(r, i), 0);
    const lamport = alloc('lamport', f16, 3 * nRanks * n, () => -0);
    const counters = alloc('counters', u32, [0, 0, 0, 2 * nRanks * n, 0]);
    const none = Array.from({ length: 2 * nRanks }, () => null);
    const workspace = alloc('workspace', ptr, [...none, ...ranks.map((r) => peer(lamport, r)), counters]);
    const residualOut = alloc('residual_out', f16, n);
    const params = MoeFinalizeParams({
      nRanks,
      rank,
      size: n,
      hiddenDim: hidden,
      workspace,
      allReduceIn: alloc('allreduce_in', f16, topK * n, (i) => rank + (i % 8)),
      allReduceOut: null,
      residualIn: alloc('residual_in', f16, n, () => 1),
      residualOut,
      normOut: alloc('norm_out', f16, n),
      quantOut: null,
      scaleOut: null,
      gamma: alloc('gamma', f16, hidden, () => 1),
      epsilon: 0,
      weightBias: 0,
      scaleFactor: 1,
      layout: 0,
      stream: null,
      moeOut: null,
      topK,
      expertScale: null,
      sharedExpert: null,
      rows: alloc('expanded_idx_to_permuted_idx', i32, topK * tokens, (i) => i),
      routedScale: 1,
    });
    return { args: [params], expect: () => residualOut.equals((i) => 1 + sum(i)) };
  },
});
