import { bf16, harness, ncclWindow } from '@nccl-ts/harness';

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
    const n = 512;
    const window = alloc('window', bf16, n);
    return {
      args: [nRanks, rank, 1, peer(window, rank, 8 * nRanks), ncclWindow(setup, window, { version: '2.32' })],
    };
  },
});
