import { f16, harness } from '@nccl-ts/harness';
import { semaphores } from './lmdeploy-params.ts';

/** Allgather_NVLS_V2<uint4> of LMDeploy, by multimem. */
export default harness({
  kernel: 'lmdeploy-allgather.ptx',
  entry: 'Allgather_NVLS_V2<uint4',
  ranks: 2,
  grid: 2,
  block: 32,
  launches: 2,
  setup(setup) {
    const { rank, nRanks, alloc, multicast } = setup;
    const slice = 40;
    const vectors = slice * nRanks;
    const buffer = alloc('buffer', f16, vectors * 8, (i) => (Math.floor(i / slice / 8) === rank ? i : 0));
    const none = new Uint8Array(1);
    return {
      args: [buffer, multicast(buffer), semaphores(setup, 2), rank, nRanks, slice, none],
      expect: () => buffer.equals((i) => i),
    };
  },
});
