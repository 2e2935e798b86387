import { bf16, harness, symmetricMemory } from '@nccl-ts/harness';

/** one_shot_all_reduce_kernel of symm-mem-recipes on 2 ranks, with the rank as an argument. */
export default harness({
  kernel: 'symm-mem-one-shot.ptx',
  entry: 'one_shot_all_reduce_kernel',
  ranks: 2,
  grid: 4,
  block: 32,
  launches: 1,
  setup(setup) {
    const { rank, ranks, alloc } = setup;
    const n = 1024;
    const output = alloc('output', bf16, n);
    const buffer = alloc('buffer', bf16, n, (i) => rank + (i % 8));
    const { bufferPtrs, signalPadPtrs } = symmetricMemory(setup, { buffer });
    return {
      args: [bufferPtrs, signalPadPtrs, output, rank, null, null],
      expect: () => output.equals((i) => ranks.reduce((sum, r) => sum + r + (i % 8), 0)),
    };
  },
});
