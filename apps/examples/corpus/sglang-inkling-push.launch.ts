import { bf16, harness } from '@nccl-ts/harness';
import { inklingBarrier } from './sglang-params.ts';

/** inkling_multimem_push_oneshot_kernel<bf16, 2, true> of SGLang. */
export default harness({
  kernel: 'sglang-inkling-multimem.ptx',
  entry: 'inkling_multimem_push_oneshot_kernel<__nv_bfloat16, 2, true>',
  ranks: 2,
  grid: 2,
  block: 32,
  launches: 1,
  setup(setup) {
    const { rank, ranks, nRanks, alloc, multicast } = setup;
    const n = 1024;
    const input = alloc('input', bf16, n, (i) => rank + (i % 8));
    const staging = alloc('staging', bf16, nRanks * n);
    const output = alloc('output', bf16, n);
    return {
      args: [input, multicast(staging), staging, output, ...inklingBarrier(setup), rank, n],
      expect: () => output.equals((i) => ranks.reduce((sum, r) => sum + r + (i % 8), 0)),
    };
  },
});
