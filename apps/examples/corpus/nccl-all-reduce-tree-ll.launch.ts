import { harness } from '@nccl-ts/harness';
import { lowLatencyAllReduce } from './nccl-params.ts';

/** ncclDevKernel_AllReduce_Sum_f32_TREE_LL of NCCL, on one channel with three warps, in a chain. */
export default harness({
  kernel: 'nccl-all-reduce-ll.ptx',
  entry: 'AllReduce_Sum_f32_TREE_LL',
  ranks: 2,
  grid: 1,
  block: 96,
  launches: 1,
  dynamicShared: 16640,
  setup: (setup) =>
    lowLatencyAllReduce(setup, 1, {
      up: setup.rank - 1,
      down: setup.rank + 1 < setup.nRanks ? [setup.rank + 1] : [],
    }),
});
