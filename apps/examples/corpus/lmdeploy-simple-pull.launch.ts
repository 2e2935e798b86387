import { f16, harness } from '@nccl-ts/harness';
import { Pointers, pointers, semaphores } from './lmdeploy-params.ts';

/** Allreduce_Simple_Pull<half, 8> of LMDeploy's turbomind. */
export default harness({
  kernel: 'lmdeploy-all-reduce.ptx',
  entry: 'Allreduce_Simple_Pull',
  ranks: 2,
  grid: 2,
  block: 32,
  launches: 2,
  setup(setup) {
    const { rank, ranks, nRanks, alloc, peer } = setup;
    const slice = 40;
    const vectors = slice * nRanks;
    const buffer = alloc('buffer', f16, vectors * 8, (i) => rank + (i % 8));
    const channels = Pointers({ pointers: pointers(ranks.map((r) => peer(buffer, r))) });
    const none = new Uint8Array(1);
    return {
      args: [buffer, channels, semaphores(setup, 2), rank, nRanks, slice, vectors, none, none],
      between: () => buffer.write((i) => rank + (i % 8) + 1),
      expect: () => buffer.equals((i) => ranks.reduce((sum, r) => sum + r + (i % 8) + 1, 0)),
    };
  },
});
