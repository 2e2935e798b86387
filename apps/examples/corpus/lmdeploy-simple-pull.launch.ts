import { array, f16, harness, ptr } from '@nccl-ts/harness';
import { semaphores } from './lmdeploy-params.ts';

/** Allreduce_Simple_Pull<half, 8> of LMDeploy's turbomind. */
export default harness({
  kernel: 'lmdeploy-all-reduce.ptx',
  entry: 'Allreduce_Simple_Pull',
  ranks: 2,
  grid: 2,
  block: 32,
  launches: 2,
  setup({ rank, nRanks, alloc, peer, peers, sum }) {
    const slice = 40;
    const n = 8 * slice * nRanks;
    const chns = alloc('chns', f16, n, (i) => rank + (i % 8));
    return {
      args: [
        chns,
        array(ptr, 8)(peers(chns)),
        semaphores({ rank, nRanks, alloc, peer }, 2),
        rank,
        nRanks,
        slice,
        slice * nRanks,
        new Uint8Array(1),
        new Uint8Array(1),
      ],
      between: () => chns.write((i) => rank + (i % 8) + 1),
      expect: () => chns.equals((i) => sum((r) => r + (i % 8) + 1)),
    };
  },
});
