import { array, bf16, harness, i32, ptr } from '@nccl-ts/harness';

/** reduce_scatter<2, false> of FBGEMM. */
export default harness({
  kernel: 'fbgemm-car.ptx',
  entry: 'reduce_scatter<2, false>',
  ranks: 2,
  grid: 2,
  block: 32,
  launches: 3,
  setup({ rank, nRanks, alloc, peers, sum }) {
    const n = 1024;
    const barriers = alloc('barriers', i32, 64);
    const inputs = alloc('inputs', bf16, n, (i) => rank + (i % 8));
    const output = alloc('output', bf16, n / nRanks);
    return {
      args: (launch) => [
        rank,
        nRanks,
        launch + 1,
        array(ptr, 8)(peers(barriers)),
        array(ptr, 8)(peers(inputs)),
        output,
        n,
        n,
      ],
      expect: () => output.equals((i) => sum((r) => r + (i % 8))),
    };
  },
});
