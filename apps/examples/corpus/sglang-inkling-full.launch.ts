import { bf16, harness } from '@nccl-ts/harness';
import { inklingBarrier } from './sglang-params.ts';

/** inkling_multimem_full_oneshot_kernel<bf16, 2> of SGLang. */
export default harness({
  kernel: 'sglang-inkling-multimem.ptx',
  entry: 'inkling_multimem_full_oneshot_kernel',
  ranks: 2,
  grid: 2,
  block: 32,
  launches: 2,
  setup(setup) {
    const { rank, ranks, alloc, multicast } = setup;
    const n = 1024;
    const input = alloc('input', bf16, n, (i) => rank + (i % 8));
    const output = alloc('output', bf16, n);
    return {
      args: [multicast(input), input, output, ...inklingBarrier(setup), rank, n],
      expect: () => output.equals((i) => ranks.reduce((sum, r) => sum + r + (i % 8), 0)),
    };
  },
});
