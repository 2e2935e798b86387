import { bf16, harness, ncclWindow } from '@nccl-ts/harness';
import { flagsAt, start, version } from './torchcomms-params.ts';

/** ubx_kernel_peer_atomic_test of torchcomms. */
export default harness({
  kernel: 'torchcomms-ubx.ptx',
  entry: 'ubx_kernel_peer_atomic_test',
  ranks: 2,
  grid: 1,
  block: 32,
  launches: 1,
  setup(setup) {
    const { rank, nRanks, alloc, peer } = setup;
    const pool = alloc('pool', bf16, start, () => 0);
    const window = ncclWindow(setup, pool, { version });
    const flags = flagsAt(nRanks);
    return { args: [nRanks, rank, 1, peer(pool, rank, flags), window] };
  },
});
