import { bf16, harness } from '@nccl-ts/harness';
import { flagsAt, start } from './torchcomms-params.ts';

/** ubx_kernel_allgather_mc of torchcomms. */
export default harness({
  kernel: 'torchcomms-ubx.ptx',
  entry: 'ubx_kernel_allgather_mc',
  ranks: 2,
  grid: 2,
  block: 32,
  launches: 2,
  setup(setup) {
    const { rank, nRanks, alloc, peer, multicast } = setup;
    const lines = 40;
    const n = lines * 8;
    const pool = alloc('pool', bf16, start + nRanks * n, () => 0);
    const input = alloc('input', bf16, n, (i) => rank + (i % 8));
    const flags = flagsAt(nRanks);
    const slice = multicast(pool, 2 * (start + rank * n));
    return {
      args: [nRanks, rank, lines, peer(pool, rank, flags), multicast(pool, flags), input, slice],
      expect: () => pool.equals((i) => Math.floor((i - start) / n) + (i % 8), { from: start, count: nRanks * n }),
    };
  },
});
