import { f32, harness } from '@nccl-ts/harness';

/** Launches allReduceMultimemVectorizedKernel<float> of NCCL's tests. */
export default harness({
  kernel: 'nccl-tests-all-reduce.ptx',
  entry: 'allReduceMultimemVectorizedKernel',
  grid: 2,
  block: 32,
  devComm: { lsaBarrierCount: 2, lsaMultimem: true },
  setup({ rank, alloc, sum, devComm }) {
    const count = 256;
    const sendwin = alloc('sendwin', f32, count, (i) => rank + i);
    const recvwin = alloc('recvwin', f32, count);
    return {
      args: [sendwin, 0, recvwin, 0, count, 0, devComm],
      expect: () => recvwin.equals((i) => sum((r) => r + i)),
    };
  },
});
