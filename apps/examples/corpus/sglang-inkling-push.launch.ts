import { bf16, harness, ptr, u32 } from '@nccl-ts/harness';

/** inkling_multimem_push_oneshot_kernel<bf16, 2, true> of SGLang. */
export default harness({
  kernel: 'sglang-inkling-multimem.ptx',
  entry: 'inkling_multimem_push_oneshot_kernel<__nv_bfloat16, 2, true>',
  ranks: 2,
  grid: 2,
  block: 32,
  launches: 1,
  setup({ rank, alloc, peers, sum, multicast }) {
    const n = 1024;
    const in_ptr = alloc('in_ptr', bf16, n, (i) => rank + (i % 8));
    const stage_ptr = alloc('stage_ptr', bf16, 2 * n);
    const out_ptr = alloc('out_ptr', bf16, n);
    const flag = alloc('flag', u32, 1024);
    const flag_ptrs = alloc('flag_ptrs', ptr, peers(flag));
    const state = alloc('state', u32, 264);
    return {
      args: [in_ptr, multicast(stage_ptr), stage_ptr, out_ptr, flag_ptrs, state, null, rank, n],
      expect: () => out_ptr.equals((i) => sum((r) => r + (i % 8))),
    };
  },
});
