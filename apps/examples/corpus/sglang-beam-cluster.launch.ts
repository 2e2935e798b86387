import { array, bf16, f32, harness, ptr, struct, u32 } from '@nccl-ts/harness';

const PushWorkSpace = struct({ workspaces: array(ptr, 2), counter: ptr, multicast: ptr, slotBytes: u32 });

const Params = struct({
  input: ptr,
  residual: ptr,
  postWeight: ptr,
  nextWeight: ptr,
  combined: ptr,
  normalized: ptr,
  epsilon: f32,
  scale: f32,
  residualScale: f32,
  routedScale: f32,
  rows: u32,
  rank: u32,
  counters: u32,
  workspace: PushWorkSpace,
});

/**
 * beam_ar::kernel<2, 512, 2, 1, false> of SGLang: clusters of two CTAs, which share the sum of a
 * row.
 */
export default harness({
  kernel: 'sglang-beam.ptx',
  entry: 'beam_ar',
  ranks: 2,
  grid: { x: 3, y: 2 },
  block: 32,
  launches: 3,
  setup({ rank, ranks, alloc, peer }) {
    const [rows, hidden] = [2, 512];
    const n = rows * hidden;
    const sum = (i: number) => ranks.reduce((total, r) => total + r + 1 + (i % 4), 0);
    const rms = Math.sqrt(Array.from({ length: hidden }, (_, i) => sum(i) ** 2).reduce((a, b) => a + b) / hidden);
    const workspace = alloc('workspace', bf16, 2 * 2 * n, () => 0);
    const combined = alloc('combined', bf16, n);
    const params = Params({
      input: alloc('input', bf16, n, (i) => rank + 1 + (i % 4)),
      residual: alloc('residual', bf16, n, () => 1),
      postWeight: alloc('post_weight', bf16, hidden, () => 1),
      nextWeight: null,
      combined,
      normalized: null,
      epsilon: 0,
      scale: 1,
      residualScale: 1,
      routedScale: 1,
      rows,
      rank,
      counters: 4,
      workspace: {
        workspaces: ranks.map((r) => peer(workspace, r)),
        counter: alloc('counter', u32, 4, () => 0),
        multicast: null,
        slotBytes: n * bf16.bytes,
      },
    });
    return { args: [params], expect: () => combined.equals((i) => sum(i) / rms + 1, { tolerance: 0.02 }) };
  },
});
