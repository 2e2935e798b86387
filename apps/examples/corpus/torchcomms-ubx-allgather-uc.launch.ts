import { bf16, harness, ncclWindow } from '@nccl-ts/harness';

/** ubx_kernel_allgather_uc of torchcomms. */
export default harness({
  kernel: 'torchcomms-ubx.ptx',
  entry: 'ubx_kernel_allgather_uc',
  ranks: 2,
  grid: 2,
  block: 32,
  launches: 2,
  setup(setup) {
    const { rank, nRanks, alloc } = setup;
    const n = 40 * 8;
    const ptr_in = alloc('ptr_in', bf16, n, (i) => rank + (i % 8));
    const window = alloc('window', bf16, 512 + nRanks * n);
    return {
      args: [nRanks, rank, n / 8, 512 / 8, ptr_in, ncclWindow(setup, window, { version: '2.32' })],
      expect: () => window.equals((i) => Math.floor((i - 512) / n) + (i % 8), { from: 512, count: nRanks * n }),
    };
  },
});
