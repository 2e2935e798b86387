import { alignedTo, array, customAllReduce, f16, harness, ptr } from '@nccl-ts/harness';

/** ulysses_a2a_kernel<half, 2, 0> of FlashInfer: scatters heads and gathers the sequence. */
export default harness({
  kernel: 'flashinfer-ulysses.ptx',
  entry: 'ulysses_a2a_kernel<__half, 2, 0>',
  ranks: 2,
  grid: 2,
  block: 32,
  launches: 3,
  setup({ rank, ranks, nRanks, alloc, peer, peers }) {
    const n = 128;
    const local_in = alloc('local_in', f16, n, (i) => rank * n + i);
    const out_ptrs = alloc('out_ptrs', f16, n);
    const { rankSignals, signal } = customAllReduce({ ranks, alloc, peer }, { input: out_ptrs, signal: 'counters' });
    // y[j * 4 + s, h, d] of this rank is x[s, rank * heads + h, d] of rank j.
    const source = (i: number) => Math.floor(i / 64) * n + ((Math.floor(i / 16) % 4) * nRanks + rank) * 16 + (i % 16);
    return {
      args: [local_in, alignedTo(array(ptr, 8), 16)(peers(out_ptrs)), rankSignals, signal, rank, 1, 4, 2, 8, 0],
      expect: () => out_ptrs.equals(source),
    };
  },
});
