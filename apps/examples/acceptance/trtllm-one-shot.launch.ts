import { array, bytes, f16, harness, ptr, struct, u32, u64 } from '@nccl-ts/harness';

const AllReduceParams = struct({
  elts_total: u64,
  elts_per_rank: u64,
  elts_per_block: u64,
  rank_offset: u64,
  ranks_per_node: u64,
  local_rank: u64,
  barrier_flag: u32,
  peer_barrier_ptrs_in: array(ptr, 16),
  peer_barrier_ptrs_out: array(ptr, 16),
  peer_comm_buffer_ptrs: array(ptr, 16),
  local_output_buffer_ptr: ptr,
  local_input_buffer_ptr: ptr,
  fusion_params: bytes(440, 8),
});

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
