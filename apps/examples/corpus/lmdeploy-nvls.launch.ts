import { f16, harness } from '@nccl-ts/harness';
import { semaphores } from './lmdeploy-params.ts';

/** Allreduce_NVLS_V2<half, 8> of LMDeploy, by multimem. */
export default harness({
  kernel: 'lmdeploy-all-reduce.ptx',
  entry: 'Allreduce_NVLS_V2',
  ranks: 2,
  grid: 2,
  block: 32,
  launches: 1,
  setup(setup) {
    const { rank, ranks, nRanks, alloc, multicast } = setup;
    const slice = 40;
    const vectors = slice * nRanks;
    const buffer = alloc('buffer', f16, vectors * 8, (i) => rank + (i % 8));
    const none = new Uint8Array(1);
    return {
      args: [multicast(buffer), semaphores(setup, 2), nRanks, rank * slice, (rank + 1) * slice, none, none],
      expect: () => buffer.equals((i) => ranks.reduce((sum, r) => sum + r + (i % 8), 0)),
    };
  },
});
