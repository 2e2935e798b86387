import { bf16, harness, ncclWindow } from '@nccl-ts/harness';
import { start, version } from './torchcomms-params.ts';

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
    const lines = 40;
    const n = lines * 8;
    const pool = alloc('pool', bf16, start + nRanks * n, () => 0);
    const input = alloc('input', bf16, n, (i) => rank + (i % 8));
    const window = ncclWindow(setup, pool, { version });
    return {
      args: [nRanks, rank, lines, start / 8, input, window],
      expect: () => pool.equals((i) => Math.floor((i - start) / n) + (i % 8), { from: start, count: nRanks * n }),
    };
  },
});
