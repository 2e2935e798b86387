import { array, f16, harness, ptr, u8 } from '@nccl-ts/harness';

/** Allreduce_LL16_V2<half> of LMDeploy: packets of data and flag, four CTAs for each peer. */
export default harness({
  kernel: 'lmdeploy-all-reduce.ptx',
  entry: 'Allreduce_LL16_V2',
  ranks: 2,
  grid: 4,
  block: 8,
  launches: 2,
  setup({ rank, nRanks, alloc, peers, sum }) {
    const slice = 40;
    const n = 4 * slice * nRanks;
    const dst = alloc('dst', f16, n, (i) => rank + (i % 8));
    const outgoing = alloc('outgoing', u8, 8 * n);
    return {
      args: (launch) => [
        dst,
        dst,
        outgoing,
        array(ptr, 8)(peers(outgoing)),
        rank,
        nRanks,
        slice,
        slice * nRanks,
        launch + 1,
        new Uint8Array(1),
      ],
      between: () => dst.write((i) => rank + (i % 8) + 1),
      expect: () => dst.equals((i) => sum((r) => r + (i % 8) + 1)),
    };
  },
});
