import { bf16, harness } from '@nccl-ts/harness';
import { inklingBarrier } from './sglang-params.ts';

/** The same with a barrier for each block. */
export default harness({
  kernel: 'sglang-inkling-multimem.ptx',
  entry: 'inkling_multimem_one_shot_fused_kernel<__nv_bfloat16, 2, true>',
  ranks: 2,
  grid: 2,
  block: 32,
  launches: 1,
  setup(setup) {
    const { rank, ranks, alloc, multicast } = setup;
    const n = 1024;
    const buffer = alloc('buffer', bf16, n, (i) => rank + (i % 8));
    return {
      args: [multicast(buffer), buffer, ...inklingBarrier(setup), rank, n],
      expect: () => buffer.equals((i) => ranks.reduce((sum, r) => sum + r + (i % 8), 0)),
    };
  },
});
