import { f32, harness } from '@nccl-ts/harness';

/** set_and_shift_kernel of NVSHMEM's example put-block, against the stand-in headers. */
export default harness({
  kernel: 'nvshmem-put-block.ptx',
  entry: 'set_and_shift_kernel',
  ranks: 2,
  grid: 2,
  block: 32,
  launches: 1,
  setup({ rank, nRanks, alloc }) {
    const n = 64;
    const send_data = alloc('send_data', f32, n, (i) => rank + (i % 8));
    const recv_data = alloc('recv_data', f32, n, (i) => rank + (i % 8));
    return {
      args: [send_data, recv_data, n, rank, nRanks],
      expect: () => recv_data.equals(() => (rank + nRanks - 1) % nRanks),
    };
  },
});
