import { alignedTo, array, customAllReduce, f16, harness, ptr } from '@nccl-ts/harness';

/** ulysses_a2a_kernel<half, 2, 1> of FlashInfer: scatters the sequence and gathers heads. */
export default harness({
  kernel: 'flashinfer-ulysses.ptx',
  entry: 'ulysses_a2a_kernel<__half, 2, 1>',
  ranks: 2,
  grid: 2,
  block: 32,
  launches: 3,
  setup({ rank, ranks, nRanks, alloc, peer, peers }) {
    const n = 128;
    const local_in = alloc('local_in', f16, n, (i) => rank * n + i);
    const out_ptrs = alloc('out_ptrs', f16, n, (i) => rank * n + i);
    const { rankSignals, signal } = customAllReduce({ ranks, alloc, peer }, { input: out_ptrs, signal: 'counters' });
    // out[s, j * heads + h, d] of this rank is u[rank * 4 + s, h, d] of rank j.
    const source = (i: number) =>
      (Math.floor(i / 16) % nRanks) * n + (rank * 4 + Math.floor(i / 16 / nRanks)) * 16 + (i % 16);
    return {
      args: [local_in, alignedTo(array(ptr, 8), 16)(peers(out_ptrs)), rankSignals, signal, rank, 1, 4, 2, 8, 0],
      expect: () => out_ptrs.equals(source),
    };
  },
});
