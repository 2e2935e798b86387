import { array, f16, harness, ptr, struct, u32, u64 } from '@nccl-ts/harness';

const PushOneshotParamData = struct({
  tmp_ptrs: array(ptr, 8),
  signal_ptrs: array(u64, 8),
  input: ptr,
  output: ptr,
  epoch_slots: u64,
  scratch_state: ptr,
  num_packs: u32,
  rank_stride_packs: u32,
  epoch_stride_packs: u32,
  rank: u32,
  max_blocks: u32,
});

/**
 * FlashInfer's reduce-scatter and all-gather by pushes over PCIe, on 4 ranks. Zero in the scratch
 * memory means that the data has not arrived.
 */
export default harness({
  kernel: 'pcie.ptx',
  entry: 'ipc_rsag_push_param_kernel<__half, 4, false>',
  ranks: 4,
  grid: 2,
  block: 2,
  launches: 3,
  setup({ rank, ranks, alloc, peer }) {
    const packs = 4;
    const input = alloc('input', f16, 8 * packs, (i) => 1 + rank + i);
    const output = alloc('output', f16, 8 * packs);
    const scratch = alloc('scratch', 2 * 4 * packs * 16);
    const params = PushOneshotParamData({
      tmp_ptrs: ranks.map((r) => peer(scratch, r)),
      input,
      output,
      scratch_state: alloc('scratch_state', u32, 2),
      num_packs: packs,
      rank_stride_packs: packs,
      epoch_stride_packs: 4 * packs,
      rank,
      max_blocks: 1,
    });
    return {
      args: [params],
      expect: () => output.equals((i) => ranks.reduce((sum, r) => sum + 1 + r + i, 0)),
    };
  },
});
