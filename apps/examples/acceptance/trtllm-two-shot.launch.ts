import { f16, harness, u32 } from '@nccl-ts/harness';
import { AllReduceParams } from './trtllm-params.ts';

/** TensorRT-LLM's two-shot AllReduce, as FlashInfer adapted it, with two CTAs on each rank. */
export default harness({
  entry: 'twoShotAllReduceKernel<__half, 4, true, false, false, false>',
  ranks: 4,
  grid: 2,
  block: 4,
  launches: 3,
  setup({ rank, ranks, nRanks, alloc, peer }) {
    const perRank = 64;
    const elements = perRank * nRanks;
    const input = alloc('local_input', f16, elements, (i) => rank + i);
    const output = alloc('local_output', f16, elements);
    const buffers = [alloc('comm 0', f16, nRanks * elements), alloc('comm 1', f16, nRanks * elements)];
    const [start, end] = [alloc('barrier_in', u32, 8 * nRanks), alloc('barrier_out', u32, 8 * nRanks)];
    const all = (of: typeof start | typeof input) => ranks.map((r) => peer(of, r));
    return {
      args: (launch: number) => [
        AllReduceParams({
          elts_total: elements,
          elts_per_rank: perRank,
          elts_per_block: perRank / 2,
          rank_offset: rank * perRank,
          ranks_per_node: nRanks,
          local_rank: rank,
          barrier_flag: launch + 1,
          peer_barrier_ptrs_in: all(start),
          peer_barrier_ptrs_out: all(end),
          peer_comm_buffer_ptrs: all(buffers[(launch + 1) % 2] ?? input),
          local_output_buffer_ptr: output,
          local_input_buffer_ptr: input,
        }),
      ],
      between: (launch: number) => input.write((i) => (launch + 2) * (rank + i)),
      expect: () => output.equals((i) => 4 * ranks.reduce((sum, r) => sum + r + i, 0)),
    };
  },
});
