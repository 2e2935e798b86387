import { bf16, harness, symmetricMemory } from '@nccl-ts/harness';

/** one_shot_all_reduce_bias_rms_norm_kernel of Kraken on 2 ranks, with the rank as an argument. */
export default harness({
  kernel: 'kraken-one-shot-rms-norm.ptx',
  entry: 'one_shot_all_reduce_bias_rms_norm_kernel',
  ranks: 2,
  grid: 4,
  block: 64,
  dynamicShared: 8,
  launches: 2,
  setup(setup) {
    const { rank, ranks, alloc } = setup;
    const dim = 64;
    const n = 4 * dim;
    const sum = (i: number) => ranks.reduce((total, r) => total + r + (i % 8), 0);
    const rms = Math.sqrt(Array.from({ length: dim }, (_, i) => sum(i) ** 2).reduce((a, b) => a + b) / dim);
    const input = alloc('input', bf16, n, (i) => rank + (i % 8));
    const [bias, weight] = [alloc('bias', bf16, n, () => 0), alloc('weight', bf16, dim, () => 1)];
    const output = alloc('output', bf16, n);
    const { bufferPtrs, signalPadPtrs } = symmetricMemory(setup, { buffer: alloc('buffer', bf16, n) });
    return {
      args: [bufferPtrs, signalPadPtrs, input, bias, weight, output, rank, null, null],
      expect: () => output.equals((i) => sum(i) / rms, { tolerance: 0.02 }),
    };
  },
});
