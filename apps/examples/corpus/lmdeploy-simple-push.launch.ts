import { array, f16, harness, ptr } from '@nccl-ts/harness';
import { semaphores } from './lmdeploy-params.ts';

/** Allreduce_Simple_Push_v3<half, 8> of LMDeploy. */
export default harness({
  kernel: 'lmdeploy-all-reduce.ptx',
  entry: 'Allreduce_Simple_Push_v3',
  ranks: 2,
  grid: 2,
  block: 32,
  launches: 1,
  setup({ rank, nRanks, alloc, peer, peers, sum }) {
    const slice = 40;
    const n = 8 * slice * nRanks;
    const buf = alloc('buf', f16, n, (i) => rank + (i % 8));
    const scratch = alloc('scratch', f16, n);
    return {
      args: [
        buf,
        scratch,
        array(ptr, 8)(peers(buf)),
        array(ptr, 8)(peers(scratch)),
        semaphores({ rank, nRanks, alloc, peer }, 2),
        rank,
        nRanks,
        slice,
        slice * nRanks,
        new Uint8Array(1),
        new Uint8Array(1),
      ],
      expect: () => buf.equals((i) => sum((r) => r + (i % 8))),
    };
  },
});
