import { f32, harness } from '@nccl-ts/harness';

/**
 * PureGinAlltoAllKernel of NCCL's example 06_device_api/02_alltoall_gin, compiled against the
 * stand-in headers.
 */
export default harness({
  entry: 'PureGinAlltoAllKernel<float>',
  ranks: 2,
  grid: 2,
  block: 8,
  devComm: { ginConnectionType: 'full', worldGinBarrierCount: 2, ginSignalCount: 2 },
  setup({ rank, nRanks, alloc, devComm }) {
    const count = 4;
    const value = (from: number, to: number, i: number): number => 1000 * from + 100 * to + i;
    const send = alloc('send', f32, count * nRanks, (i) => value(rank, Math.floor(i / count), i % count));
    const receive = alloc('receive', f32, count * nRanks);
    return {
      args: [send, 0, receive, 0, count, devComm],
      between: () => send.write((i) => 2 * value(rank, Math.floor(i / count), i % count)),
      expect: () => receive.equals((i) => 2 * value(Math.floor(i / count), rank, i % count)),
    };
  },
});
