import { array, bytes, ptr, struct, u32, u64 } from '@nccl-ts/harness';

/** The parameters of TensorRT-LLM's AllReduce kernels, as FlashInfer adapted them. */
export const AllReduceParams = struct({
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
