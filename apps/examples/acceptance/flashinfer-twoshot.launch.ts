import { array, bytes, f16, harness, ptr, struct, u32 } from '@nccl-ts/harness';

const AllReduceFusionParams = struct({
  nranks: u32,
  rank: u32,
  size: u32,
  hidden_dim: u32,
  workspace: ptr,
  allreduce_in: ptr,
  allreduce_out: ptr,
  rest: bytes(96, 8),
});
const Tokens = struct({ of: array(u32, 2) });

/**
 * FlashInfer's two-shot AllReduce with barriers, on 2 ranks. Each reduces two tokens of 16
 * elements.
 */
export default harness({
  kernel: 'fusion.ptx',
  entry: 'allreduce_fusion_kernel_twoshot_sync',
  ranks: 2,
  grid: 2,
  block: 2,
  launches: 2,
  setup({ rank, ranks, alloc, peer }) {
    const input = alloc('allreduce_in', f16, 64, (i) => 1 + rank + i);
    const output = alloc('allreduce_out', f16, 64);
    const comm = alloc('comm', f16, 128);
    const flags = alloc('barrier_flags', u32, 256 * 2);
    const counters = alloc('counters', u32, 5);
    const all = (at: typeof comm) => ranks.map((r) => peer(at, r));
    const params = AllReduceFusionParams({
      nranks: 2,
      rank,
      size: 64,
      hidden_dim: 16,
      workspace: alloc('workspace', ptr, [...all(comm), ...all(flags), null, null, counters]),
      allreduce_in: input,
      allreduce_out: output,
    });
    return {
      args: [params, Tokens({ of: [0, 2] }), Tokens({ of: [2, 2] })],
      expect: () => output.equals((i) => 3 + 2 * i),
    };
  },
});
