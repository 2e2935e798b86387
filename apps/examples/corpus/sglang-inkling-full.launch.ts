import { bf16, harness, ptr, u32 } from '@nccl-ts/harness';

/** inkling_multimem_full_oneshot_kernel<bf16, 2> of SGLang. */
export default harness({
  kernel: 'sglang-inkling-multimem.ptx',
  entry: 'inkling_multimem_full_oneshot_kernel',
  ranks: 2,
  grid: 2,
  block: 32,
  launches: 2,
  setup({ rank, alloc, peers, sum, multicast }) {
    const n = 1024;
    const local_in_ptr = alloc('local_in_ptr', bf16, n, (i) => rank + (i % 8));
    const out_ptr = alloc('out_ptr', bf16, n);
    const flag = alloc('flag', u32, 1024);
    const flag_ptrs = alloc('flag_ptrs', ptr, peers(flag));
    const state = alloc('state', u32, 264);
    return {
      args: [multicast(local_in_ptr), local_in_ptr, out_ptr, flag_ptrs, state, null, rank, n],
      expect: () => out_ptr.equals((i) => sum((r) => r + (i % 8))),
    };
  },
});
