import { bf16, harness, ncclWindow } from '@nccl-ts/harness';

/** ubx_kernel_barrier of torchcomms, without multicast. */
export default harness({
  kernel: 'torchcomms-ubx.ptx',
  entry: 'ubx_kernel_barrier',
  ranks: 2,
  grid: 2,
  block: 32,
  launches: 3,
  setup(setup) {
    const { rank, nRanks, alloc, peer } = setup;
    const n = 512;
    const window = alloc('window', bf16, n);
    return {
      args: [nRanks, rank, peer(window, rank, 8 * nRanks), null, ncclWindow(setup, window, { version: '2.32' })],
    };
  },
});
