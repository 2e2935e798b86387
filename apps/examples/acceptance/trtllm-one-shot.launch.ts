import { f16, harness, u32 } from '@nccl-ts/harness';
import { AllReduceParams } from './trtllm-params.ts';

/**
 * TensorRT-LLM's one-shot AllReduce, as FlashInfer adapted it. Launches take turns on two buffers
 * and two sets of flags, as its host code does.
 */
export default harness({
  entry: 'oneShotAllReduceKernel<__half, 2, true, false>',
  ranks: 2,
  grid: 2,
  block: 4,
  launches: 3,
  setup({ rank, ranks, nRanks, alloc, peer }) {
    const elements = 64;
    const input = alloc('local_input', f16, elements, (i) => rank + i);
    const output = alloc('local_output', f16, elements);
    const buffers = [alloc('comm 0', f16, nRanks * elements), alloc('comm 1', f16, nRanks * elements)];
    const flags = alloc('barrier_in', u32, 8 * nRanks);
    const all = (of: typeof flags | typeof input) => ranks.map((r) => peer(of, r));
    return {
      args: (launch: number) => [
        AllReduceParams({
          elts_total: elements,
          elts_per_block: elements / 2,
          ranks_per_node: nRanks,
          local_rank: rank,
          barrier_flag: launch + 1,
          peer_barrier_ptrs_in: all(flags),
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
