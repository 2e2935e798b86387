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
  setup({ rank, nRanks, alloc, peer, sum, multicast }) {
    const slice = 40;
    const n = 8 * slice * nRanks;
    const mc_buf = alloc('mc_buf', f16, n, (i) => rank + (i % 8));
    return {
      args: [
        multicast(mc_buf),
        semaphores({ rank, nRanks, alloc, peer }, 2),
        nRanks,
        rank * slice,
        (rank + 1) * slice,
        new Uint8Array(1),
        new Uint8Array(1),
      ],
      expect: () => mc_buf.equals((i) => sum((r) => r + (i % 8))),
    };
  },
});
