import { array, ptr, struct, u32, u64 } from '@nccl-ts/harness';

/** fastertransformer::AllReduceParams. */
export const AllReduceParams = struct({
  eltsTotal: u64,
  eltsPerRank: u64,
  eltsPerBlock: u64,
  rankOffset: u64,
  rank: u64,
  localRank: u64,
  nodeId: u64,
  barrierFlag: u32,
  barriers: array(ptr, 8),
  buffers: array(ptr, 8),
  output: ptr,
});
