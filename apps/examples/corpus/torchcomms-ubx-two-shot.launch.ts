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
    const { rank, ranks } = setup;
    const lines = 100;
    const flagBytes = 1024;
    const [start, n] = [flagBytes / bf16.bytes, lines * 8];
    // Pointers and flags, then the input, then the output.
    const pool = setup.alloc('pool', bf16, start + 2 * n, (i) =>
      i < start || i >= start + n ? 0 : rank + ((i - start) % 8),
    );
    const window = ncclWindow(setup, pool, { version: '2.31' });
    const [input, output] = [flagBytes / 16, flagBytes / 16 + lines];
    return {
      args: [rank, lines, input, output, null, null, 0, 0, 0, 0, window],
      expect: () => pool.equals((i) => ranks.reduce((sum, r) => sum + r + (i % 8), 0), { from: start + n, count: n }),
    };
  },
});
