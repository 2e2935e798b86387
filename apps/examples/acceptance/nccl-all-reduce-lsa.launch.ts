import { f32, harness, ncclDevComm, ncclWindow } from '@nccl-ts/harness';

/** Launches simpleAllReduceKernel of NCCL's example 06_device_api/01_allreduce_lsa. */
export default harness({
  entry: 'simpleAllReduceKernel',
  ranks: 2,
  grid: 2,
  block: 8,
  setup(rank) {
    const version = '2.30';
    const count = 64;
    const send = rank.alloc('send', f32, count, (i) => rank.rank + i);
    const recv = rank.alloc('recv', f32, count);
    const [sendWindow, recvWindow] = [send, recv].map((data) => ncclWindow(rank, data, { version }));
    return {
      args: [sendWindow ?? null, 0, recvWindow ?? null, 0, count, ncclDevComm(rank, { version, lsaBarriers: 2 })],
      // The next launch has other data. The first barrier must make it visible, and the second must
      // keep it from arriving too early.
      between: () => send.write((i) => 2 * (rank.rank + i)),
      expect: () => recv.equals((i) => 2 * rank.ranks.reduce((sum, r) => sum + r + i, 0)),
    };
  },
});
