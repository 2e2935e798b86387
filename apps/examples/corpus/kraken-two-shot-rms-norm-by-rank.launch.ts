import { bf16, harness, symmetricMemory } from '@nccl-ts/harness';

/** two_shot_all_reduce_bias_rms_norm_kernel of Kraken, with one PTX for each rank. */
export default harness({
  kernel: ({ rank }) => `kraken-two-shot-rms-norm-rank${rank}.ptx`,
  entry: 'two_shot_all_reduce_bias_rms_norm_kernel',
  ranks: 2,
  grid: 4,
  block: 64,
  dynamicShared: 8,
  launches: 2,
  setup(setup) {
    const { rank, ranks: all, nRanks, alloc } = setup;
    const dim = 64;
    const n = dim * 2 * nRanks;
    const sum = (i: number) => all.reduce((total, r) => total + r + (i % 8), 0);
    const rms = Math.sqrt(Array.from({ length: dim }, (_, i) => sum(i) ** 2).reduce((a, b) => a + b) / dim);
    // The loads of a row's part end with a whole block.
    const padded = n + dim / nRanks;
    const input = alloc('input', bf16, n, (i) => rank + (i % 8));
    const bias = alloc('bias', bf16, padded, () => 0);
    const weight = alloc('weight', bf16, dim, () => 1);
    const output = alloc('output', bf16, n);
    const { bufferPtrs, signalPadPtrs } = symmetricMemory(setup, { buffer: alloc('buffer', bf16, padded) });
    return {
      args: [bufferPtrs, signalPadPtrs, input, bias, weight, output, null, null],
      expect: () => output.equals((i) => sum(i) / rms, { tolerance: 0.02 }),
    };
  },
});
