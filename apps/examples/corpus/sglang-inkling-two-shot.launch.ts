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
  setup({ rank, alloc, peers, sum }) {
    const n = 1024;
    const peer_ptrsMemory = alloc('peer_ptrsMemory', bf16, n, (i) => rank + (i % 8));
    const peer_ptrs = alloc('peer_ptrs', ptr, peers(peer_ptrsMemory));
    const flag = alloc('flag', u32, 64);
    const flag_ptrs = alloc('flag_ptrs', ptr, peers(flag));
    const state = alloc('state', u32, 264);
    const shared = alloc('shared', bf16, n, (i) => i % 4);
    return {
      args: [peer_ptrs, flag_ptrs, state, shared, rank, n],
      expect: () => peer_ptrsMemory.equals((i) => sum((r) => r + (i % 8) + (i % 4))),
    };
  },
});
