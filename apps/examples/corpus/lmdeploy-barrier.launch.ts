import { harness } from '@nccl-ts/harness';
import { semaphores } from './lmdeploy-params.ts';

/** Barrier_V2 of LMDeploy, between its copies by the copy engine. */
export default harness({
  kernel: 'lmdeploy-allgather.ptx',
  entry: 'Barrier_V2',
  ranks: 2,
  grid: 1,
  block: 2,
  launches: 3,
  setup({ rank, nRanks, alloc, peer }) {
    return {
      args: [semaphores({ rank, nRanks, alloc, peer }, 1), nRanks],
    };
  },
});
