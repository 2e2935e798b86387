import { bf16, harness, ncclWindow } from '@nccl-ts/harness';
import { flagsAt, start, version } from './torchcomms-params.ts';

/** ubx_kernel_barrier of torchcomms, by multicast. */
export default harness({
  kernel: 'torchcomms-ubx.ptx',
  entry: 'ubx_kernel_barrier',
  ranks: 2,
  grid: 2,
  block: 32,
  launches: 3,
  setup(setup) {
    const { rank, nRanks, alloc, peer, multicast } = setup;
    const pool = alloc('pool', bf16, start, () => 0);
    const window = ncclWindow(setup, pool, { version });
    const flags = flagsAt(nRanks);
    return { args: [nRanks, rank, peer(pool, rank, flags), multicast(pool, flags), window] };
  },
});
