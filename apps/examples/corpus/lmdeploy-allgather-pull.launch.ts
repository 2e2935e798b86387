import { f16, harness } from '@nccl-ts/harness';
import { Pointers, pointers, semaphores } from './lmdeploy-params.ts';

/** Allgather_Simple_Pull<uint4> of LMDeploy. */
export default harness({
  kernel: 'lmdeploy-allgather.ptx',
  entry: 'Allgather_Simple_Pull<uint4',
  ranks: 2,
  grid: 2,
  block: 32,
  launches: 2,
  setup(setup) {
    const { rank, ranks, nRanks, alloc, peer } = setup;
    const slice = 40;
    const vectors = slice * nRanks;
    const buffer = alloc('buffer', f16, vectors * 8, (i) => (Math.floor(i / slice / 8) === rank ? i : 0));
    const buffers = Pointers({ pointers: pointers(ranks.map((r) => peer(buffer, r))) });
    const none = new Uint8Array(1);
    return {
      args: [buffers, semaphores(setup, 2), rank, nRanks, slice, none],
      expect: () => buffer.equals((i) => i),
    };
  },
});
