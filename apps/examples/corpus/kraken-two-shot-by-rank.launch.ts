import { bf16, harness, symmetricMemory } from '@nccl-ts/harness';

/** two_shot_all_reduce_kernel of Kraken on 2 ranks, with one warp and one PTX for each rank. */
export default harness({
  kernel: ({ rank }) => `kraken-two-shot-rank${rank}.ptx`,
  entry: 'two_shot_all_reduce_kernel',
  ranks: 2,
  grid: 2,
  block: 32,
  dynamicShared: 512,
  launches: 2,
  setup(setup) {
    const { rank, ranks, alloc } = setup;
    const n = 512;
    const input = alloc('input', bf16, n, (i) => rank + (i % 8));
    const output = alloc('output', bf16, n);
    const { bufferPtrs, signalPadPtrs } = symmetricMemory(setup, { buffer: alloc('buffer', bf16, n) });
    return {
      args: [bufferPtrs, signalPadPtrs, input, output, n, null, null],
      expect: () => output.equals((i) => ranks.reduce((sum, r) => sum + r + (i % 8), 0)),
    };
  },
});
