import { harness, u32 } from '@nccl-ts/harness';
import { BarrierArgs, table } from './flux-params.ts';

/** CudaIpcBarrierAllKernel of Flux. Its flags are 0 again after each barrier. */
export default harness({
  kernel: 'flux-barrier.ptx',
  entry: 'CudaIpcBarrierAllKernel',
  ranks: 2,
  grid: 1,
  block: 32,
  launches: 3,
  setup({ rank, ranks, nRanks, alloc, peer }) {
    const sync = alloc('sync', u32, 32, () => 0);
    return {
      args: [BarrierArgs({ sync: table(ranks.map((r) => peer(sync, r))), rank, worldSize: nRanks })],
      expect: () => sync.equals(() => 0),
    };
  },
});
