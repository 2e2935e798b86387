import { f32, harness, symmetricMemory } from '@nccl-ts/harness';

/** PyTorch's two_shot_all_reduce_kernel_inplace over symmetric memory. */
export default harness({
  entry: 'two_shot_all_reduce_kernel_inplace<float, 16, 4>',
  ranks: 4,
  grid: 1,
  block: 8,
  launches: 2,
  setup(setup) {
    const { rank, ranks, nRanks, alloc } = setup;
    const count = 64;
    const buffer = alloc('buffer', f32, count, (i) => rank + i);
    const { bufferPtrs, signalPadPtrs } = symmetricMemory(setup, { buffer });
    return {
      args: [bufferPtrs, 0, count, signalPadPtrs, rank, nRanks],
      expect: () => buffer.equals((i) => nRanks * ranks.reduce((sum, r) => sum + r + i, 0)),
    };
  },
});
