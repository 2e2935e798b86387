import { bf16, harness, ptr, u32 } from '@nccl-ts/harness';

/** inkling_multimem_one_shot_fused_kernel<bf16, 2, false> of SGLang. */
export default harness({
  kernel: 'sglang-inkling-multimem.ptx',
  entry: 'inkling_multimem_one_shot_fused_kernel<__nv_bfloat16, 2, false>',
  ranks: 2,
  grid: 2,
  block: 32,
  launches: 1,
  setup({ rank, alloc, peers, sum, multicast }) {
    const n = 1024;
    const local_ptr = alloc('local_ptr', bf16, n, (i) => rank + (i % 8));
    const flag = alloc('flag', u32, 64);
    const flag_ptrs = alloc('flag_ptrs', ptr, peers(flag));
    const state = alloc('state', u32, 264);
    return {
      args: [multicast(local_ptr), local_ptr, flag_ptrs, state, null, rank, n],
      expect: () => local_ptr.equals((i) => sum((r) => r + (i % 8))),
    };
  },
});
