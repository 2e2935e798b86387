import { array, f16, harness, ptr } from '@nccl-ts/harness';
import { semaphores } from './lmdeploy-params.ts';

/** Allgather_Simple_Pull<uint4> of LMDeploy. */
export default harness({
  kernel: 'lmdeploy-allgather.ptx',
  entry: 'Allgather_Simple_Pull<uint4, std::integral_constant<bool, false>>',
  ranks: 2,
  grid: 2,
  block: 32,
  launches: 2,
  setup({ rank, nRanks, alloc, peer, peers }) {
    const slice = 40;
    const n = 8 * slice * nRanks;
    const uc = alloc('uc', f16, n, (i) => (Math.floor(i / slice / 8) === rank ? i : 0));
    return {
      args: [
        array(ptr, 8)(peers(uc)),
        semaphores({ rank, nRanks, alloc, peer }, 2),
        rank,
        nRanks,
        slice,
        new Uint8Array(1),
      ],
      expect: () => uc.equals((i) => i),
    };
  },
});
