import { bf16, harness, symmetricMemory } from '@nccl-ts/harness';

const [m, n, k] = [64, 32, 32];

/**
 * gemm_reduce_scatter_kernel of Kraken with tiles of 32, with one PTX for each rank. The
 * products of its matrices are unknown, so that no result can be expected.
 */
export default harness({
  kernel: ({ rank }) => `kraken-gemm-rs-rank${rank}.ptx`,
  entry: 'gemm_reduce_scatter_kernel',
  ranks: 2,
  grid: 2,
  block: 128,
  dynamicShared: 16384,
  launches: 2,
  setup(setup) {
    const { ranks, alloc, peer } = setup;
    const a = alloc('a', bf16, m * k);
    const b = alloc('b', bf16, k * n);
    const buffer = alloc('buffer', bf16, m * n);
    const output = alloc('output', bf16, (m * n) / 2);
    const { signalPadPtrs } = symmetricMemory(setup, { buffer });
    return { args: [a, b, ...ranks.map((r) => peer(buffer, r)), signalPadPtrs, output, null, null] };
  },
});
