import { bf16, harness, ncclWindow } from '@nccl-ts/harness';

/** ubx_kernel_allreduce_2shot_uc<2> of torchcomms' nccl_ubx. */
export default harness({
  kernel: 'torchcomms-ubx.ptx',
  entry: 'ubx_kernel_allreduce_2shot_uc<2>',
  ranks: 2,
  grid: 2,
  block: 32,
  launches: 2,
  setup(setup) {
    const { rank, alloc, sum } = setup;
    const n = 100 * 8;
    const window = alloc('window', bf16, 512 + 2 * n, (i) => (i < 512 || i >= 512 + n ? 0 : rank + (i % 8)));
    return {
      args: [
        rank,
        n / 8,
        512 / 8,
        (512 + n) / 8,
        null,
        null,
        null,
        0,
        0,
        0,
        ncclWindow(setup, window, { version: '2.32' }),
      ],
      expect: () => window.equals((i) => sum((r) => r + (i % 8)), { from: 512 + n, count: n }),
    };
  },
});
