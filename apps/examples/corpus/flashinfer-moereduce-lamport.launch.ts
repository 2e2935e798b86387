import { f16, f32, harness, ptr, u32 } from '@nccl-ts/harness';
import { MoeReductionParams } from './flashinfer-params.ts';

/** moereduce_allreduce_fusion_kernel_oneshot_lamport<half, 2, true, true, true, false>. */
export default harness({
  kernel: 'flashinfer-moe-all-reduce.ptx',
  entry: 'moereduce_allreduce_fusion_kernel_oneshot_lamport',
  ranks: 2,
  grid: 2,
  block: 2,
  launches: 4,
  setup({ rank, ranks, nRanks, alloc, peer }) {
    const hidden = 16;
    const tokens = 2;
    const n = hidden * tokens;
    // Two experts with the scales 0.5 and 1, and the token itself.
    const partial = (r: number, i: number) => 0.5 * (r + (i % 8)) + (r + (i % 4)) + 1;
    const sum = (i: number) => ranks.reduce((total, r) => total + partial(r, i), 0);
    const lamport = alloc('lamport', f16, 3 * nRanks * n, () => -0);
    const counters = alloc('counters', u32, [0, 0, 0, 2 * nRanks * n, 0]);
    const none = Array.from({ length: 2 * nRanks }, () => null);
    const workspace = alloc('workspace', ptr, [...none, ...ranks.map((r) => peer(lamport, r)), counters]);
    const moeOut = alloc('moe_out', f16, n);
    const residualOut = alloc('residual_out', f16, n);
    const params = MoeReductionParams({
      nRanks,
      rank,
      size: n,
      hiddenDim: hidden,
      workspace,
      allReduceIn: null,
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
      moeOut,
      experts: 2,
      scales: alloc('scales', f32, 2 * tokens, (i) => (i < tokens ? 0.5 : 1)),
      expertInput: alloc('experts', f16, 2 * n, (i) => (i < n ? rank + (i % 8) : rank + (i % 4))),
      tokenInput: alloc('tokens', f16, n, () => 1),
    });
    return { args: [params], expect: () => [moeOut.equals(sum), residualOut.equals((i) => 1 + sum(i))] };
  },
});
