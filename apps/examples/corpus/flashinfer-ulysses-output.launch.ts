import { alignedTo, array, customAllReduce, f16, harness, ptr, struct } from '@nccl-ts/harness';

/** vllm::RankData, by value. */
const RankData = struct({ pointers: alignedTo(array(ptr, 8), 16) });

/** ulysses_a2a_kernel<half, 2, 1> of FlashInfer: scatters the sequence and gathers heads. */
export default harness({
  kernel: 'flashinfer-ulysses.ptx',
  entry: 'ulysses_a2a_kernel<__half, 2, 1>',
  ranks: 2,
  grid: 2,
  block: 32,
  launches: 3,
  setup({ rank, ranks, nRanks, alloc, peer }) {
    const [batch, tokens, heads, dim] = [1, 4, 2, 8];
    const row = heads * dim;
    const count = batch * tokens * nRanks * row;
    const input = alloc('input', f16, count, (i) => rank * count + i);
    const output = alloc('output', f16, count);
    const outputs = Array.from({ length: 8 }, (_, r) => (r < nRanks ? peer(output, r) : null));
    const { rankSignals, signal } = customAllReduce({ ranks, alloc, peer }, { input: output, signal: 'counters' });
    // out[s, j * heads + h, d] of this rank is u[rank * tokens + s, h, d] of rank j.
    const source = (i: number) => {
      const [s, j, k] = [Math.floor(i / row / nRanks), Math.floor(i / row) % nRanks, i % row];
      return j * count + (rank * tokens + s) * row + k;
    };
    return {
      args: [input, RankData({ pointers: outputs }), rankSignals, signal, rank, batch, tokens, heads, dim, 0],
      expect: () => output.equals(source),
    };
  },
});
