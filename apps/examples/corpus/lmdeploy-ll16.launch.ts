import { f16, harness, u8 } from '@nccl-ts/harness';
import { Pointers, pointers } from './lmdeploy-params.ts';

/** Allreduce_LL16_V2<half> of LMDeploy: packets of data and flag, four CTAs for each peer. */
export default harness({
  kernel: 'lmdeploy-all-reduce.ptx',
  entry: 'Allreduce_LL16_V2',
  ranks: 2,
  grid: 4,
  block: 8,
  launches: 2,
  setup({ rank, ranks, nRanks, alloc, peer }) {
    const slice = 40;
    const count = slice * nRanks;
    const packets = alloc('packets', u8, 2 * count * 16, () => 0);
    const data = alloc('data', f16, count * 4, (i) => rank + (i % 8));
    const outgoing = Pointers({ pointers: pointers(ranks.map((r) => peer(packets, r))) });
    return {
      args: (launch: number) => [
        data,
        data,
        packets,
        outgoing,
        rank,
        nRanks,
        slice,
        count,
        launch + 1,
        new Uint8Array(1),
      ],
      between: () => data.write((i) => rank + (i % 8) + 1),
      expect: () => data.equals((i) => ranks.reduce((sum, r) => sum + r + (i % 8) + 1, 0)),
    };
  },
});
