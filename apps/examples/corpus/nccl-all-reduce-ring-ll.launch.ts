import { harness } from '@nccl-ts/harness';
import { lowLatencyAllReduce } from './nccl-params.ts';

/** ncclDevKernel_AllReduce_Sum_f32_RING_LL of NCCL, on one channel with three warps. */
export default harness({
  kernel: 'nccl-all-reduce-ll.ptx',
  entry: 'AllReduce_Sum_f32_RING_LL',
  ranks: 2,
  grid: 1,
  block: 96,
  launches: 1,
  dynamicShared: 16640,
  setup: (setup) => lowLatencyAllReduce(setup, 0, { up: -1, down: [] }),
});
