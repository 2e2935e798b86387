import { bf16, harness, i32 } from '@nccl-ts/harness';
import { pointers } from './fbgemm-params.ts';

/** two_shot_all_reduce<2, false> of FBGEMM, from a buffer that the host filled. */
export default harness({
  kernel: 'fbgemm-car.ptx',
  entry: 'two_shot_all_reduce<2, false>',
  ranks: 2,
  grid: 2,
  block: 32,
  launches: 1,
  setup({ rank, ranks, nRanks, alloc, peer }) {
    const n = 1024;
    const flags = alloc('flags', i32, nRanks * 3, () => 0);
    const shared = alloc('shared', bf16, n, (i) => rank + (i % 8));
    const barriers = pointers(ranks.map((r) => peer(flags, r)));
    const inputs = pointers(ranks.map((r) => peer(shared, r)));
    const output = alloc('output', bf16, n);
    return {
      args: (launch: number) => [rank, nRanks, launch + 1, barriers, inputs, null, output, n],
      expect: () => output.equals((i) => ranks.reduce((sum, r) => sum + r + (i % 8), 0)),
    };
  },
});
