import { f16, harness } from '@nccl-ts/harness';
import { Pointers, pointers, semaphores } from './lmdeploy-params.ts';

/** Allreduce_Simple_Push_v3<half, 8> of LMDeploy. */
export default harness({
  kernel: 'lmdeploy-all-reduce.ptx',
  entry: 'Allreduce_Simple_Push_v3',
  ranks: 2,
  grid: 2,
  block: 32,
  launches: 1,
  setup(setup) {
    const { rank, ranks, nRanks, alloc, peer } = setup;
    const slice = 40;
    const vectors = slice * nRanks;
    const buffer = alloc('buffer', f16, vectors * 8, (i) => rank + (i % 8));
    const scratch = alloc('scratch', f16, vectors * 8);
    const [buffers, scratches] = [buffer, scratch].map((one) => pointers(ranks.map((r) => peer(one, r))));
    const none = new Uint8Array(1);
    return {
      args: [
        buffer,
        scratch,
        Pointers({ pointers: buffers ?? [] }),
        Pointers({ pointers: scratches ?? [] }),
        semaphores(setup, 2),
        rank,
        nRanks,
        slice,
        vectors,
        none,
        none,
      ],
      expect: () => buffer.equals((i) => ranks.reduce((sum, r) => sum + r + (i % 8), 0)),
    };
  },
});
