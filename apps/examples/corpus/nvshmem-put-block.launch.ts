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
    const send = alloc('send_data', f32, n);
    const received = alloc('recv_data', f32, n);
    return {
      args: [send, received, n, rank, nRanks],
      expect: () => received.equals(() => (rank + nRanks - 1) % nRanks),
    };
  },
});
