import { bf16, harness, ptr, u32 } from '@nccl-ts/harness';

/**
 * inkling_two_shot_all_reduce_fused_kernel<bf16, 2> of SGLang, with partial sums of shared experts.
 */
export default harness({
  kernel: 'sglang-inkling.ptx',
  entry: 'inkling_two_shot_all_reduce_fused_kernel',
  ranks: 2,
  grid: 2,
  block: 32,
  launches: 1,
  setup({ rank, ranks, nRanks, alloc, peer }) {
    const n = 1024;
    const buffer = alloc('buffer', bf16, n, (i) => rank + (i % 8));
    const flags = alloc('flags', u32, nRanks * 257, () => 0);
    const state = alloc('state', u32, 264, () => 0);
    const shared = alloc('shared', bf16, n, (i) => i % 4);
    const [buffers, flagPointers] = [buffer, flags].map((one) =>
      alloc(
        `${one.name}_pointers`,
        ptr,
        ranks.map((r) => peer(one, r)),
      ),
    );
    return {
      args: [buffers ?? null, flagPointers ?? null, state, shared, rank, n],
      expect: () => buffer.equals((i) => ranks.reduce((sum, r) => sum + r + (i % 8) + (i % 4), 0)),
    };
  },
});
