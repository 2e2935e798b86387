import { f32, harness, symmetricMemory } from '@nccl-ts/harness';

/** PyTorch's one_shot_all_reduce_kernel over symmetric memory, with a copy of the input. */
export default harness({
  entry: 'one_shot_all_reduce_kernel<float, 16, 4>',
  ranks: 4,
  grid: 2,
  block: 8,
  launches: 2,
  setup(setup) {
    const { rank, ranks, nRanks, alloc } = setup;
    const count = 64;
    const buffer = alloc('buffer', f32, count);
    const { bufferPtrs, signalPadPtrs } = symmetricMemory(setup, { buffer });
    const input = alloc('input', f32, count, (i) => rank + i);
    const output = alloc('output', f32, count);
    return {
      args: [bufferPtrs, output, input, 0, count, signalPadPtrs, rank, nRanks],
      between: () => input.write((i) => 2 * (rank + i)),
      expect: () => output.equals((i) => 2 * ranks.reduce((sum, r) => sum + r + i, 0)),
    };
  },
});
