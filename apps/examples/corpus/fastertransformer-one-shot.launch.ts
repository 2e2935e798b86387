import { array, bytes, f32, harness, ptr, struct, u32, u64 } from '@nccl-ts/harness';

/** The 200 bytes of parameter 0: fields that the kernel reads have a type. */
const Param0 = struct({
  gap0: bytes(8),
  elts_per_rank: u64,
  elts_per_block: u64,
  gap24: bytes(16),
  local_rank: u64,
  gap48: bytes(8),
  barrier_flag: u32,
  gap60: bytes(4),
  peer_barrier_ptrs: array(ptr, 8),
  peer_comm_buffer_ptrs: array(ptr, 8),
  local_output_buffer_ptr: ptr,
});

/** oneShotAllReduceKernel<uint32_t> of FasterTransformer, on its 8 ranks. */
export default harness({
  kernel: 'fastertransformer.ptx',
  entry: 'oneShotAllReduceKernel<unsigned>',
  ranks: 8,
  grid: 2,
  block: 32,
  launches: 2,
  setup({ rank, alloc, peers, sum }) {
    const n = 256;
    const peer_barrier_ptrs = alloc('peer_barrier_ptrs', u32, 8);
    const peer_comm_buffer_ptrs = alloc('peer_comm_buffer_ptrs', f32, n, (i) => rank + (i % 8));
    const local_output_buffer_ptr = alloc('local_output_buffer_ptr', f32, n);
    return {
      args: (launch) => [
        Param0({
          elts_per_rank: n,
          elts_per_block: 128,
          local_rank: rank,
          barrier_flag: launch + 1,
          peer_barrier_ptrs: peers(peer_barrier_ptrs),
          peer_comm_buffer_ptrs: peers(peer_comm_buffer_ptrs),
          local_output_buffer_ptr,
        }),
      ],
      expect: () => local_output_buffer_ptr.equals((i) => sum((r) => r + (i % 8))),
    };
  },
});
