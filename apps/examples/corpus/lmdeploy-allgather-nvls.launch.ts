import { f16, harness } from '@nccl-ts/harness';
import { semaphores } from './lmdeploy-params.ts';

/** Allgather_NVLS_V2<uint4> of LMDeploy, by multimem. */
export default harness({
  kernel: 'lmdeploy-allgather.ptx',
  entry: 'Allgather_NVLS_V2<uint4, std::integral_constant<bool, false>>',
  ranks: 2,
  grid: 2,
  block: 32,
  launches: 2,
  setup({ rank, nRanks, alloc, peer, multicast }) {
    const slice = 40;
    const n = 8 * slice * nRanks;
    const uc = alloc('uc', f16, n, (i) => (Math.floor(i / slice / 8) === rank ? i : 0));
    return {
      args: [uc, multicast(uc), semaphores({ rank, nRanks, alloc, peer }, 2), rank, nRanks, slice, new Uint8Array(1)],
      expect: () => uc.equals((i) => i),
    };
  },
});
