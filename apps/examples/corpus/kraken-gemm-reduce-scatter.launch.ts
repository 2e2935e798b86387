import { bf16, harness, symmetricMemory } from '@nccl-ts/harness';

/** gemm_reduce_scatter_kernel of Kraken, with the rank as a constant: one PTX for each. */
export default harness({
  kernel: ({ rank }) => `kraken-gemm-rs-rank${rank}.ptx`,
  entry: 'gemm_reduce_scatter_kernel',
  ranks: 2,
  grid: 2,
  block: 128,
  dynamicShared: 16_384,
  launches: 2,
  setup(setup) {
    const { rank, ranks, alloc, peer } = setup;
    const [m, n, k] = [64, 32, 32];
    const buffer = alloc('buffer', bf16, m * n);
    const output = alloc('output', bf16, (m / 2) * n);
    const { signalPadPtrs } = symmetricMemory(setup, { buffer });
    const a = alloc('a', bf16, m * k, (i) => (rank + i) % 4);
    const b = alloc('b', bf16, k * n, (i) => (rank + i) % 3);
    return { args: [a, b, ...ranks.map((r) => peer(buffer, r)), signalPadPtrs, output, null, null] };
  },
});
