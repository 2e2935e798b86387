import { f32, harness } from '@nccl-ts/harness';

/** Launches NvlAlltoAllKernel<float> of NCCL's tests. */
export default harness({
  kernel: 'nccl-tests-alltoall.ptx',
  entry: 'NvlAlltoAllKernel',
  grid: 2,
  block: 32,
  devComm: { lsaBarrierCount: 2 },
  setup({ rank, nRanks, alloc, devComm }) {
    const count = 256;
    const sendwin = alloc('sendwin', f32, nRanks * count, (i) => rank + i);
    const recvwin = alloc('recvwin', f32, nRanks * count);
    return {
      args: [sendwin, 0, recvwin, 0, count, 0, devComm],
      expect: () => recvwin.equals((i) => Math.floor(i / count) + rank * count + (i % count)),
    };
  },
});
