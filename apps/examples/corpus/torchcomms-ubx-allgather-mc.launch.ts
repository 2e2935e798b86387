import { bf16, harness } from '@nccl-ts/harness';

/** ubx_kernel_allgather_mc of torchcomms. */
export default harness({
  kernel: 'torchcomms-ubx.ptx',
  entry: 'ubx_kernel_allgather_mc',
  ranks: 2,
  grid: 2,
  block: 32,
  launches: 2,
  setup({ rank, nRanks, alloc, peer, multicast }) {
    const n = 40 * 8;
    const flags = 8 * nRanks;
    const uc_ptr_in = alloc('uc_ptr_in', bf16, n, (i) => rank + (i % 8));
    const mc_ptr_out = alloc('mc_ptr_out', bf16, 512 + nRanks * n);
    return {
      args: [
        nRanks,
        rank,
        n / 8,
        peer(mc_ptr_out, rank, flags),
        multicast(mc_ptr_out, flags),
        uc_ptr_in,
        multicast(mc_ptr_out, 2 * (512 + rank * n)),
      ],
      expect: () => mc_ptr_out.equals((i) => Math.floor((i - 512) / n) + (i % 8), { from: 512, count: nRanks * n }),
    };
  },
});
